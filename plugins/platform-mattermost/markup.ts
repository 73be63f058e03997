/**
 * Mattermost's Markdown (docs.mattermost.com/end-user-guide/collaborate/format-messages.html): CommonMark with GitHub's
 * additions. Words that would ring everybody's bell are kept apart from their sign.
 */
import type { Markup } from 'svc/sdk'

const ADDRESS = /(https?:\/\/[^\s<>]+)/
/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'

/** Addresses stay as they are: a backslash would become a part of them. */
function escapeText(text: string): string {
  const parts = text.split(ADDRESS)
  return parts.map((part, at) => (at % 2 === 1 ? part : escapeWords(part))).join('')
}

function escapeWords(text: string): string {
  const marked = text.replace(/[\\*_~`|<>[\]]/g, '\\$&').replace(/^(\s*)([#+-])/gm, '$1\\$2')
  const listed = marked.replace(/^(\s*\d+)\./gm, '$1\\.')
  return quiet(listed)
}

/** `@all`, `@channel` and `@here` are for people to say. */
function quiet(text: string): string {
  return text.replace(/@(?=(?:all|channel|here)\b)/gi, `@${GAP}`)
}

export const markup: Markup = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  strike: ['~~', '~~'],
  // Two of them, so that one may stand within.
  code: ['``', '``'],
  fence: (code, language) => `\`\`\`${language}\n${code}\n\`\`\``,
  link: (text, address) => (text === escapeText(address) ? address : `[${text}](${address})`),
  heading: (text, level) => `${'#'.repeat(Math.min(level, 6))} ${text}`,
  escape: escapeText,
  // Nothing can be escaped within code: a mark that would end it is kept apart from its like and from the edge.
  escapeCode: (code) =>
    code
      .replace(/`(?=`)/g, `\`${GAP}`)
      .replace(/^`/, `${GAP}\``)
      .replace(/`$/, `\`${GAP}`),
  escapeAddress: (address) => address.replace(/[()<>\s]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
}
