/**
 * Slack's mrkdwn (docs.slack.dev/messaging/formatting-message-text): three characters are escaped, which keeps text from
 * becoming a link or ringing bells. Marks such as `*` cannot be escaped there: alone they show as they are, but a backtick
 * would make code of all up to the next one.
 */
import type { Markup } from 'svc/sdk/platform'

export function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** Looks like a backtick, but is not one. */
const LOOKALIKE = 'ˋ'
const replaceTicks = (text: string) => text.replaceAll('`', LOOKALIKE)

export const markup: Markup = {
  bold: ['*', '*'],
  italic: ['_', '_'],
  strike: ['~', '~'],
  code: ['`', '`'],
  fence: (code) => `\`\`\`\n${code}\n\`\`\``,
  link: (text, address) => {
    // A bar ends the address, and a line break the link.
    return `<${address}|${text.replace(/[|\n]/g, ' ')}>`
  },
  bullet: '• ',
  escape: (text) => replaceTicks(escapeText(text)),
  // Three of them would end a block: they are split by an invisible character.
  escapeCode: (code) => escapeText(code).replace(/`(?=`)/g, '`\u200b'),
  escapeAddress: (address) => escapeText(address).replace(/\|/g, '%7C').replace(/\s/g, '%20'),
}

const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }

/** What people wrote, without Slack's own notation: `<@U1|ada>`, `<https://a.example|words>`, `&amp;`. */
export function readable(text: string): string {
  const plain = text.replace(/<([^<>\n]+)>/g, (_all, inside: string) => readLink(inside))
  return plain.replace(/&(amp|lt|gt);/g, (_all, name: string) => NAMES[name] ?? '')
}

function readLink(inside: string): string {
  const [target = '', words] = inside.split('|', 2)
  if (target.startsWith('@')) return `@${words || target.slice(1)}`
  if (target.startsWith('#')) return `#${words || target.slice(1)}`
  if (target.startsWith('!')) return `@${words?.replace(/^@/, '') || target.slice(1).split('^')[0]}`
  const address = target.replace(/^mailto:/, '')
  return words && words !== address ? `${words} (${address})` : address
}
