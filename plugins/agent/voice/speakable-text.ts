/** What of an answer is spoken: its words without marks, code and addresses, up to a limit. */

/** Blocks and marks of Markdown, in the order in which they are taken away. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm, '\n'],
  [/<!--[\s\S]*?-->/g, ''],
  [/<\/?[a-z][^>\n]*>/gi, ''],
  [/!\[([^\]\n]*)\]\([^)\n]*\)/g, '$1'],
  [/\[([^\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])/g, '$1'],
  [/^\s*\[[^\]\n]+\]:\s+\S+.*$/gm, ''],
  [/<?\bhttps?:\/\/[^\s<>]+[^\s<>.,;:!?)\]]>?/g, ''],
  // The line below the head of a table, then its cells.
  [/^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$/gm, ''],
  [/^\s*\|(.*?)\s*\|\s*$/gm, '$1.'],
  [/\s*\|\s*/g, ', '],
  [/^\s{0,3}(?:#{1,6}\s+|>+\s?|[-*+]\s+(?:\[[ xX]\]\s+)?)/gm, ''],
  [/^\s*(?:[-*_]\s*){3,}$/gm, ''],
  [/`+([^`\n]*)`+/g, '$1'],
  [/(\*\*\*|\*\*|\*|~~)(?=\S)([\s\S]*?\S)\1/g, '$2'],
  [/(^|[^\w])(__|_)(?=\S)([^\n]*?\S)\2(?!\w)/g, '$1$3'],
]
/** Ends a line that has no punctuation: headings and items of lists are sentences of their own. */
const UNFINISHED = /([\p{L}\p{N})"'”’])[ \t]*\n+/gu

/** Empty when nothing is left to be spoken, such as of code alone. */
export function toSpeakable(markdown: string, maxCharacters: number): string {
  let text = markdown
  for (const [pattern, by] of MARKS) text = text.replace(pattern, by)
  text = text.replace(UNFINISHED, '$1.\n').replace(/\s+/g, ' ').trim()
  return /[\p{L}\p{N}]/u.test(text) ? cut(text, maxCharacters) : ''
}

/** Whole sentences, or whole words where the first sentence is too long. */
function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const taken = take(text, maxCharacters, 'sentence')
  return taken === '' ? take(text, maxCharacters, 'word') : taken
}

function take(text: string, maxCharacters: number, granularity: 'sentence' | 'word'): string {
  let end = 0
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity }).segment(text)) {
    if (index + segment.trimEnd().length > maxCharacters) break
    end = index + segment.length
  }
  return text.slice(0, end).trim()
}
