/** Markdown as most chats show it: CommonMark (spec.commonmark.org/0.31.2), for platforms to build their markup on. */
import type { Markup } from './markup.ts'

/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'
const ADDRESS = /(https?:\/\/[^\s<>]+)/

/** Marks become words. What makes a block of a line does so at its start only; a line of `=` makes a heading of the one before. */
function escapeText(text: string): string {
  return text
    .replace(/[\\*_~`|<>[\]]|&(?=#?\w+;)/g, '\\$&')
    .replace(/^(\s*)([#+-]|=+[ \t]*$)/gm, '$1\\$2')
    .replace(/^(\s*\d+)(?=[.)])/gm, '$1\\')
}

/** Longer than the longest run of backticks inside. */
function createFence(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  return '`'.repeat(longest + 1)
}

function percent(text: string): string {
  const bytes = [...new TextEncoder().encode(text)]
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

/** CommonMark itself. It has no strike-through. A platform spreads it and overrides what differs. @since 0.2 */
export const commonMarkMarkup: Required<Omit<Markup, 'strike' | 'quote' | 'bullet'>> = {
  bold: ['**', '**'],
  italic: ['*', '*'],
  // In this form code may hold backticks, and begin and end with them: only as many as the marks have would end it.
  code: ['`` ', ' ``'],
  escapeCode: (code) => code.replace(/(?<!`)``(?!`)/g, `\`${GAP}\``),
  fence: (code, language) => `${createFence(code)}${language}\n${code}\n${createFence(code)}`,
  link: (text, address) => `[${text}](${address})`,
  heading: (text, level) => `${'#'.repeat(Math.min(level, 6))} ${text}`,
  escape: escapeText,
  escapeAddress: (address) => address.replace(/[()<>\\\s]/g, percent),
}

/**
 * The same where a bare address becomes a link: it is left unchanged, as a backslash would become a part of it.
 * @since 0.2
 */
export function withBareUrls<Base extends Markup & Required<Pick<Markup, 'escape' | 'link'>>>(markup: Base): Base {
  const escapeAround = (text: string) => {
    const parts = text.split(ADDRESS)
    return parts.map((part, at) => (at % 2 === 1 ? part : markup.escape(part))).join('')
  }
  const link = (text: string, address: string) =>
    text === escapeAround(address) ? address : markup.link(text, address)
  return { ...markup, escape: escapeAround, link }
}
