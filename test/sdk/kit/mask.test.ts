import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileMask } from '../../../sdk/kit/text/mask.ts'
import { decodedUnit, listForms } from '../../../sdk/kit/text/secret-forms.ts'

const secret = 'sk-proj_9aZ/tQ+77xYbK.4w=end'

const escaped = (text: string) =>
  [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const hex = (text: string) => Buffer.from(text).toString('hex')
const lines = (text: string, width: number) => text.match(new RegExp(`[^]{1,${width}}`, 'g'))?.join('\n') ?? ''
const dumped = (text: string) => {
  const bytes = Buffer.from(text)
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16)
    const shown = row.toString('latin1').replace(/[^ -~]/g, '.')
    rows.push(`${at.toString(16).padStart(8, '0')}: ${row.toString('hex').replace(/..../g, '$& ').padEnd(41)} ${shown}`)
  }
  return rows.join('\n')
}

/** What turns a text into one that can be turned back. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 behind one byte': (text) => Buffer.from(`=${text}`).toString('base64'),
  'base64 behind two bytes': (text) => Buffer.from(`K=${text}`).toString('base64'),
  'base64 in lines': (text) => lines(Buffer.from(`KEY=${text}\n`).toString('base64'), 12),
  'base64 for addresses': (text) => Buffer.from(`x${text}`).toString('base64url'),
  'small hex': hex,
  'large hex': (text) => hex(text).toUpperCase(),
  'hex with blanks': (text) => hex(text).replace(/../g, '$& '),
  'hex with colons': (text) => hex(text).replace(/../g, '$&:'),
  'hex as in C': (text) => hex(text).replace(/../g, '0x$&, '),
  'hex in a string': (text) => hex(text).replace(/../g, '\\x$&'),
  'xxd -p': (text) => lines(hex(text), 20),
  xxd: dumped,
  'percent-encoding': (text) => hex(text).replace(/../g, '%$&'),
  'some percent-encoding': (text) => encodeURIComponent(text),
  'percent-encoding twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'JSON escapes': escaped,
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'HTML references': (text) => [...text].map((char) => `&#${char.charCodeAt(0)};`).join(''),
  reversed: (text) => [...text].reverse().join(''),
  folded: (text) => lines(text, 10),
  'folded in JSON': (text) => JSON.stringify(lines(text, 7)),
  'folded and numbered': (text) => lines(text, 10).replace(/^/gm, () => '7\t'),
  spaced: (text) => text.replace(/./g, '$& '),
  'in capitals': (text) => text.toUpperCase(),
  'in small letters': (text) => text.toLowerCase(),
  'in colours': (text) => `${text.slice(0, 5)}\u001b[01;31m\u001b[K${text.slice(5)}`,
}

test.for(Object.entries(encodings))('a secret is masked when it is written %s', ([, encode]) => {
  const masked = compileMask([secret], [])(`before\n${encode(secret)}\nafter`)
  expect(masked).toContain('***')
  expect(listParts(masked, encode)).toEqual([])
})

/** A third of the secret, in this encoding. Letters and digits only: what stands between them may have changed. */
function listParts(masked: string, encode: (text: string) => string, value = secret): string[] {
  const plain = (text: string) => text.replace(/[^a-z0-9]/gi, '').toLowerCase()
  const whole = plain(encode(value))
  const size = Math.ceil(whole.length / 3)
  const seen = plain(masked)
  const parts: string[] = []
  for (let at = 0; at + size <= whole.length; at++) parts.push(whole.slice(at, at + size))
  // Percent-encoded punctuation at the ends, which is not masked, becomes digits.
  const ends = [/^[^a-z0-9]*/i, /[^a-z0-9]*$/i].map((end) => plain(encode(end.exec(value)?.[0] ?? '')))
  return parts.filter((part) => seen.includes(part) && !ends.some((end) => end.includes(part)))
}

const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.'
const anySecret = fc
  .string({ unit: fc.constantFrom(...characters), minLength: 16, maxLength: 80 })
  .filter((value) => value.replace(/[^a-z0-9]/gi, '').length >= 12 && new Set(value.toLowerCase()).size > 8)
const anyText = fc.string({ unit: fc.constantFrom(...'ghijkl mnop\n.,;{}()'), maxLength: 60 })

test.for(Object.entries(encodings))('no random secret that is written %s can be read back', ([, encode]) => {
  fc.assert(
    fc.property(anySecret, anyText, anyText, (value, before, after) => {
      const text = `${before}\n${encode(value)}\n${after}`
      expect(listParts(compileMask([value], [])(text).replace(before, '').replace(after, ''), encode, value)).toEqual(
        [],
      )
    }),
    { numRuns: 60, examples: [['+=aaaaaaaaC0atxMv', '', '']] },
  )
})

const commands = [
  'base64 -w0',
  'base64',
  'xxd',
  'xxd -p',
  'od -An -tx1',
  'od -tx1',
  'od -c',
  'od -x',
  'hexdump -C',
  'hexdump',
  'rev',
  'fold -w10',
  "sed 's/./& /g'",
  'tr a-z A-Z',
  'tac',
  'cat -n',
  'jq -Rs .',
]

test.for(commands)('nothing of .env is seen through `%s`, where the program is installed', (command) => {
  let output: string
  try {
    output = execFileSync('sh', ['-c', `${command} 2>/dev/null`], {
      input: `EDITOR=vi\nCUSTOM_API_KEY=${secret}\n`,
    }).toString()
  } catch {
    return
  }
  const masked = compileMask([secret], [])(output)
  expect(masked).toContain('***')
  expect(masked.replace(/[^a-z0-9]/gi, '')).not.toMatch(/9aZtQ|77xYb|YbK4w/i)
})

test('a part of a random secret is masked, too, a part of words is not', () => {
  const key = 'k4jd82hfs9d7fj3h5g6d8s7a6f5h4j3k2l1q'
  expect(compileMask([key], [])(`starts with ${key.slice(0, 20)} and`)).toMatch(/^starts with \*\*\*\w{8} and$/)
  const mask = compileMask(['/home/ada/projects/weather/reports'], [])
  expect(mask('in /home/ada/projects/weather/notes and /home/ada/projects/weather/reports')).toBe(
    'in /home/ada/projects/weather/notes and ***',
  )
})

test('what is not secret stays as it is', () => {
  const mask = compileMask([secret, 'production', 'abc-12'], ['1234'])
  const text = 'abc 1 2, 12345, %61%62, \\u0061, 0x00, deadbeef\n0000010: 6865 6c6c  he\n 12\tx & y &amp; \u001b[0m z\n'
  expect(mask(text)).toBe(text)
  expect(mask('the PIN is 1234.')).toBe('the PIN is ***.')
})

test('a value of few letters is masked by its spelling, and in hex and base64', () => {
  const mask = compileMask(['!"§$%&/()=?'], [])
  expect(mask('it is !"§$%&/()=?.')).toBe('it is ***.')
  expect(mask(`${hex('!"§$%&/()=?')} ${Buffer.from('!"§$%&/()=?').toString('base64')}`)).toMatch(/^\*\*\* \*\*\*\W*$/)
})

test('a key of many lines is masked in every line', () => {
  const key = `-----BEGIN KEY-----\n${lines('h7Gd9sKq2LmZ'.repeat(60), 64)}\n-----END KEY-----`
  expect(compileMask([key], [])(`x ${key} y`)).toBe('x *** y')
  expect(compileMask([key], [])(JSON.stringify(key))).not.toContain('h7Gd9sKq2LmZ')
  expect(listForms(key).every(({ length }) => length <= 256)).toBe(true)
})

test('an escape at the end of a text is read no further than that', () => {
  for (const text of ['%', '%4', '\\', '\\u', '\\u00', '\\x', '&', '&#', '0x', '\u001b', '\u001b['])
    expect(decodedUnit(text, 0) >> 8).toBeLessThanOrEqual(text.length)
})

test('two secrets side by side, one in the other, and one over another leave nothing', () => {
  expect(compileMask(['secret-one-1', 'secret-one-1-more'], [])('a secret-one-1-more b secret-one-1 c')).toBe(
    'a *** b *** c',
  )
  expect(compileMask(['abcdefgh1234', '1234ijklmnop'], [])('abcdefgh1234ijklmnop')).toBe('***')
})
