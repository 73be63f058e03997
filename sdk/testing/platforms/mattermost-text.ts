/** Mattermost's Markdown as people see it (docs.mattermost.com, "Format messages"). */

const PIECES = new RegExp(
  [
    String.raw`\`\`\`(?:[\w+-]*\n)?(?<block>[\s\S]*?)\n?\`\`\``,
    String.raw`(?<ticks>\`+)(?<code>[\s\S]*?[^\`])\k<ticks>(?!\`)`,
    String.raw`\\(?<plain>[^a-zA-Z0-9\s])`,
    String.raw`\[(?<label>(?:\\.|[^\]\\])+)\]\(<?(?<address>[^)\s>]+)>?\)`,
    String.raw`(?<bare>https?:\/\/[^\s<>]+)`,
    String.raw`(?<mark>\*{1,3}|~~)`,
    '^(?<line>(?:#{1,6}|>) )',
  ].join('|'),
  'gm',
)

/** The words, without marks. */
export function mattermostWords(text: string): string {
  const words = text.replace(PIECES, (...match) => {
    const { block, code, plain, label, bare } = match.at(-1) as Record<string, string | undefined>
    if (label !== undefined) return mattermostWords(label)
    return block ?? code ?? plain ?? bare ?? ''
  })
  return words.replaceAll('\u200b', '')
}
