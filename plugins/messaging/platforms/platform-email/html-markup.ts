/**
 * HTML that goes out: the marks that mail programs show, and the two forms of a body, `multipart/alternative` (RFC 2046,
 * section 5.1.4). No picture, no style sheet, no script: nothing is fetched when a mail is opened.
 */
import type { Markup } from 'svc/sdk/platform'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const CHARACTERS: ReadonlyMap<string, string> = new Map(Object.entries(ENTITIES).map(([one, entity]) => [entity, one]))
const SAFE_ADDRESS = /^(?:https?|mailto|tel):/i

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (one) => ENTITIES[one] ?? one)

export const htmlMarkup: Markup = {
  bold: ['<strong>', '</strong>'],
  italic: ['<em>', '</em>'],
  strike: ['<del>', '</del>'],
  code: ['<code>', '</code>'],
  fence: (code) => `<pre>${code}</pre>`,
  link: (text, address) => (SAFE_ADDRESS.test(address) ? `<a href="${address}">${text}</a>` : `${text} (${address})`),
  heading: (text, level) => `<h${Math.min(level, 6)}>${text}</h${Math.min(level, 6)}>`,
  quote: (text) => `<blockquote>${text}</blockquote>`,
  bullet: '• ',
  escape: escapeHtml,
  escapeAddress: escapeHtml,
}

/** Tags that `htmlMarkup` writes. Anything else is text, wherever it comes from. */
const OWN_TAG = /^<(?:\/?(?:strong|em|del|code|pre|h[1-6]|blockquote)|\/a|a href="(?:https?|mailto|tel):[^"<>\s]*")>$/i

/** Mail programs have no styles of their own for these. */
const STYLED: Readonly<Record<string, string>> = {
  '<pre>': '<pre style="padding:8px;background:#f4f4f4;white-space:pre-wrap">',
  '<blockquote>': '<blockquote style="margin:0;padding-left:8px;border-left:3px solid #ccc">',
}
/** Line ends around them would make gaps. */
const BLOCK_EDGES = /\n*(<(?:h[1-6]|blockquote)>)|(<\/(?:h[1-6]|blockquote)>)\n*/g

/** The two forms of a text in this markup; without `html` where it has no marks. */
export function toBodies(marked: string): { readonly text: string; readonly html?: string } {
  const safe = marked.replace(/\r\n?/g, '\n').replace(/<[^>]*>?/g, (tag) => (OWN_TAG.test(tag) ? tag : escapeHtml(tag)))
  const text = toWords(safe)
  if (!/<[a-z]/.test(safe)) return { text }
  const lines = safe.split(/\n*(<pre>[\s\S]*?<\/pre>)\n*/).map((part, at) => (at % 2 === 1 ? part : withBreaks(part)))
  const body = lines.join('').replace(/<(?:pre|blockquote)>/g, (tag) => STYLED[tag] ?? tag)
  return { text, html: `<div dir="auto">${body}</div>\n` }
}

/** HTML joins lines, and blanks before them. */
function withBreaks(text: string): string {
  return text
    .replace(BLOCK_EDGES, '$1$2')
    .replace(/^ +/gm, (blanks) => '\u00a0'.repeat(blanks.length))
    .replace(/\n/g, '<br>\n')
}

/** As readers without HTML see it: addresses behind their words, quotations as in mail. */
function toWords(html: string): string {
  return html
    .replace(/<blockquote>([\s\S]*?)<\/blockquote>/g, (_all, text: string) => text.replace(/^/gm, '&gt; '))
    .replace(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_all, address: string, text: string) =>
      text === address || `mailto:${text}` === address ? text : `${text} (${address})`,
    )
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:amp|lt|gt|quot);/g, (entity) => CHARACTERS.get(entity) ?? entity)
}
