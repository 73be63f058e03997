/** Discord's Markdown as people see it (support.discord.com, "Markdown Text 101"). */

const PIECES = new RegExp(
  [
    String.raw`\`\`\`(?:[\w+-]*\n)?(?<block>[\s\S]*?)\n?\`\`\``,
    String.raw`(?<ticks>\`+)(?<code>[\s\S]*?[^\`])\k<ticks>(?!\`)`,
    String.raw`\\(?<plain>[^a-zA-Z0-9\s])`,
    String.raw`\[(?<label>(?:\\.|[^\]\\])+)\]\(<?(?<address>[^)\s>]+)>?\)`,
    String.raw`(?<bare>https?:\/\/[^\s<>]*[^\s<>.,:;*_~|])`,
    String.raw`(?<mark>\*{1,3}|~~|\|\||__)`,
    '^(?<line>(?:#{1,3}|>) )',
  ].join('|'),
  'gm',
)

/** The words, without marks. */
export function discordWords(text: string): string {
  const words = text.replace(PIECES, (...match) => {
    const groups = match.at(-1) as Record<string, string | undefined>
    const { block, code, plain, label, bare } = groups
    if (label !== undefined) return discordWords(label)
    return block ?? code ?? plain ?? bare ?? ''
  })
  return words.replaceAll('\u200b', '')
}
