/**
 * Discord's Markdown (support.discord.com, "Markdown Text 101"): a backslash makes a mark ordinary. Pings are switched off
 * with every message (`allowed_mentions`); what looks like one is made ordinary here as well.
 */
import type { Markup } from 'svc/sdk'

const ADDRESS = /(https?:\/\/[^\s<>]+)/
/** Keeps marks apart, and is not seen. */
const GAP = '\u200b'

/** Addresses stay as they are: Discord shows a backslash within one. */
function escapeText(text: string): string {
  const parts = text.split(ADDRESS)
  return parts.map((part, at) => (at % 2 === 1 ? part : escapeWords(part))).join('')
}

function escapeWords(text: string): string {
  return text.replace(/[\\*_~`|<[\]]/g, '\\$&').replace(/^(\s*)([#>-]|\d+(?=\.))/gm, (_all, blanks, mark) => {
    return /\d/.test(mark) ? `${blanks}${mark}` : `${blanks}\\${mark}`
  })
}

export const markup: Markup = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  strike: ['~~', '~~'],
  // Two of them, so that one may stand within.
  code: ['``', '``'],
  fence: (code, language) => `\`\`\`${language}\n${code}\n\`\`\``,
  link: (text, address) => (text === escapeText(address) ? address : `[${text}](${address})`),
  heading: (text, level) => (level <= 3 ? `${'#'.repeat(level)} ${text}` : `**${text}**`),
  escape: escapeText,
  // Nothing can be escaped within code: a mark that would end it is kept apart from its like and from the edge.
  escapeCode: (code) =>
    code
      .replace(/`(?=`)/g, `\`${GAP}`)
      .replace(/^`/, `${GAP}\``)
      .replace(/`$/, `\`${GAP}`),
  escapeAddress: (address) => address.replace(/[()<>\s]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
}
