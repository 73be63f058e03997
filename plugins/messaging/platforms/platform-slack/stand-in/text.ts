/** Slack's mrkdwn as people see it (docs.slack.dev/messaging/formatting-message-text). */

const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }
const PIECES = new RegExp(
  [
    String.raw`\`\`\`\n?(?<block>[\s\S]*?)\n?\`\`\``,
    String.raw`\`(?<code>[^\`\n]+)\``,
    String.raw`<(?<link>[^<>\n]+)>`,
    String.raw`(?<=^|[\s(])(?<mark>[*_~])(?<marked>\S(?:[^\n]*?\S)??)\k<mark>(?=$|[\s.,:;!?)])`,
    '^(?<line>> )',
  ].join('|'),
  'gm',
)

/** The words, without marks. */
export function slackWords(text: string): string {
  return unescaped(withoutMarks(text))
}

function withoutMarks(text: string): string {
  return text.replace(PIECES, (...match) => {
    const { block, code, link, marked } = match.at(-1) as Record<string, string | undefined>
    if (link !== undefined) return link.split('|').slice(1).join('|') || link
    if (marked !== undefined) return withoutMarks(marked)
    return block ?? code ?? ''
  })
}

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_all, name: string) => NAMES[name] ?? '')
}

/** Unescaped control characters of the service would notify people or become links. */
export function slackEscaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
