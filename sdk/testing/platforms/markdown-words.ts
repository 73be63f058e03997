/** The words that people see of a message in Markdown (spec.commonmark.org), for services whose apps show it. */

const PIECES = [
  '(?<fence>`{3,})(?:[\\w+-]*\\n)?(?<block>[\\s\\S]*?)\\n?\\k<fence>(?!`)',
  '(?<ticks>`+)(?<code>[\\s\\S]*?[^`])\\k<ticks>(?!`)',
  String.raw`\\(?<plain>[!-/:-@[-\x60{-~])`,
  String.raw`\[(?<label>(?:\\.|[^\]\\])+)\]\(<?(?<address>[^)\s>]+)>?\)`,
  String.raw`(?<mark>\*{1,3}|~~)`,
  '^(?<line>(?:#{1,6}|>) )',
]
const BARE = String.raw`(?<bare>https?:\/\/[^\s<>]+)`

/** CommonMark, and CommonMark with GitHub's addition that addresses in the text are links. */
const DIALECTS = {
  commonmark: new RegExp(PIECES.join('|'), 'gm'),
  github: new RegExp([BARE, ...PIECES].join('|'), 'gm'),
}

/** Characters that only keep others apart. */
const UNSEEN = /[\u200b\u2060]/g

/** Without marks; what is escaped stands for itself. */
export function wordsOfMarkdown(text: string, dialect: keyof typeof DIALECTS = 'commonmark'): string {
  const words = text.replace(DIALECTS[dialect], (...match) => {
    const { block, code, plain, label, bare } = match.at(-1) as Record<string, string | undefined>
    if (label !== undefined) return wordsOfMarkdown(label, dialect)
    return block ?? code?.replace(/^ ([\s\S]*) $/, '$1') ?? plain ?? bare ?? ''
  })
  return words.replace(UNSEEN, '')
}
