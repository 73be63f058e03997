/** Texts as models write them, and worse. */
import fc from 'fast-check'

const pieces = [
  ...[
    'word ',
    'other',
    ' ',
    '\n',
    '\n',
    '\n\n',
    '\n\n',
    '**',
    '*',
    '_',
    '`',
    '~~',
    '[text](https://a.example)',
    '](',
    '[',
  ],
  ...[
    '# ',
    '## Title\n',
    '- ',
    '- item\n',
    '  - inner\n',
    '1. ',
    '2. two\n',
    '   ',
    '    ',
    '> ',
    '> quote\n',
    '---\n',
    '===\n',
  ],
  ...[
    '```',
    '```ts\n',
    '```\n',
    'const a = 1 // x\n',
    '/* ',
    '~~~\n',
    '| a | b |\n',
    '|---|--:|\n',
    '| 1 | `2` |\n',
    '|',
  ],
  ...[
    '<div>\n',
    '<br>',
    '&amp;',
    '&#27;',
    '\\',
    '\t',
    '日本語',
    '👨‍👩‍👧',
    'e\u0301',
    '\u001b[31m',
    '\u001b]0;x',
    '\u0007',
    '\r\n',
    '\r',
  ],
  ...['[x]: https://x.example\n', '[x]', '![i](u)', 'https://auto.example ', '- [ ] task\n', '\u202e', '\u009b'],
]

export const writing = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join(''))

/** The text in pieces of a few characters, cut anywhere, also within a character. */
export const split = (text: string, sizes: readonly number[]): string[] => {
  const parts: string[] = []
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    parts.push(text.slice(at, at + size))
    at += size
  }
  return parts
}
