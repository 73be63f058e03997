/**
 * Zulip's Markdown (zulip.com/help/format-your-message-using-markdown). It has no backslash that makes a mark a character, but shows
 * HTML's references to characters; the text of a link is shown as it is.
 */
import { commonMarkMarkup, type Markup, withBareUrls } from 'svc/sdk/platform'

/** Blocks with these names are no code. */
const BLOCKS = ['quote', 'quoted', 'spoiler', 'math', 'latex', 'tex']
/** What means something in the text of a link, too. */
const UNSAFE_IN_LINK = /[*`~$<[\]\\|]/

function toReference(mark: string): string {
  return `&#${mark.codePointAt(0)};`
}

/** The same before what stands behind it. */
function behind(_whole: string, before: string, mark: string): string {
  return before + toReference(mark)
}

/** Marks, mentions, formulas, times and names of emoji become words; what makes a block of a line does so at its start only. */
function escapeText(text: string): string {
  return text
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replace(/[\\*`~|[\]^]/g, toReference)
    .replace(/\$(?=\$)|(?<=\$)\$/g, toReference)
    .replace(/<(?=time:)|:(?=[\w+-]+:)/g, toReference)
    .replace(/^(\s*)([#>+-]|_(?=[_ \t]*$))/gm, behind)
    .replace(/^(\s*\d+)([.)])/gm, behind)
    .replace(/^\/(?=(?:me|poll|todo)\b)/gm, toReference)
}

/** Without marks, and with characters in the place of references. */
function toWords(text: string): string {
  return text
    .replace(/\*{1,3}|~~|`` | ``/g, '')
    .replace(/&#(\d+);/g, (_whole, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&')
}

function createLink(text: string, address: string): string {
  const words = toWords(text)
  return UNSAFE_IN_LINK.test(words) ? `${text} (${address})` : `[${words}](${address})`
}

export const markup: Markup = withBareUrls({
  ...commonMarkMarkup,
  strike: ['~~', '~~'],
  escape: escapeText,
  link: createLink,
  fence: (code, language) => commonMarkMarkup.fence(code, BLOCKS.includes(language.toLowerCase()) ? '' : language),
})
