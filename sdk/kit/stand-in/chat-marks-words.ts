/** The words that people see of a message with marks of one sign each, as many chats show them: `*bold*`, `_italic_`, `~struck~`. */

/** Marks at the borders of words are style; all others are text. `<address|words>` is a link. @since 0.2 */
export function wordsOfChatMarks(raw: string): string {
  return raw
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? part.replace(/^`+|`+$/g, '') : withoutStyle(part)))
    .join('')
    .replaceAll('\u200b', '')
}

function withoutStyle(text: string): string {
  const words = text.replace(/<https?:[^<>|\n]+\|([^<>\n]+)>/g, '$1')
  return ['\\*', '_', '~'].reduce((rest, mark) => {
    const styled = new RegExp(`(^|[^\\p{L}\\p{N}])${mark}(\\S|\\S[^\\n]*?\\S)${mark}(?![\\p{L}\\p{N}])`, 'gmu')
    return rest.replace(styled, '$1$2')
  }, words)
}
