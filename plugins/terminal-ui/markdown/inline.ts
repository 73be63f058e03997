/** What stands within a paragraph, as spans. */
import type { StyledSpan, TextLayout, ThemeColor } from 'svc/sdk/terminal'
import { decode } from './entities.ts'
import { asMarkedTokens, type MarkedToken, type Tokens } from './lex.ts'

/** How the text around is written. */
export type Style = Omit<StyledSpan, 'text'>

/** Characters of an address that are shown behind a text. */
const SHORT_ADDRESS = 60
const OPENED = /^(?:https?|mailto|file):/i
const LOOKS_LIKE_ADDRESS = /:\/\/|^\S+\.[a-z]{2,}(?:\/|$)/i

/** Spans of tokens. A line feed in one is a line's end that was asked for. */
export function toSpans(tokens: readonly MarkedToken[], style: Style, layout: TextLayout): StyledSpan[] {
  return tokens.flatMap((token) => toSpan(token, style, layout))
}

function toSpan(token: MarkedToken, style: Style, layout: TextLayout): StyledSpan[] {
  const within = (more: Style) =>
    toSpans(asMarkedTokens('tokens' in token ? token.tokens : []), { ...style, ...more }, layout)
  switch (token.type) {
    case 'text':
      return token.tokens ? within({}) : [createSpan(decode(token.text), style, layout)]
    case 'strong':
      return within({ bold: true })
    case 'em':
      return within({ italic: true })
    case 'del':
      return within({ strike: true })
    case 'codespan':
      return [createSpan(token.text, { ...style, role: 'code' }, layout)]
    case 'br':
      return [{ text: '\n' }]
    case 'html':
      return [/^<br *\/?>$/i.test(token.text.trim()) ? { text: '\n' } : createSpan(token.text, style, layout)]
    case 'link':
      return createLinkSpans(token, within, style, layout)
    case 'image': {
      const text = `▣ ${decode(token.text) || 'image'}`
      return createLinkSpans(token, (own) => [createSpan(text, { ...style, ...own }, layout)], style, layout)
    }
    case 'checkbox':
      return []
    default:
      return [createSpan('text' in token ? token.text : token.raw, style, layout)]
  }
}

/** Text of strangers: a reference to a control character is one, too. */
function createSpan(text: string, style: Style, layout: TextLayout): StyledSpan {
  return { ...style, text: layout.clean(text).replace(/\s*\n\s*/g, ' ') }
}

/** Only what a browser or a mail program opens is a link. Where it leads is said, unless the text says so. */
function createLinkSpans(
  { href, text }: Tokens.Link | Tokens.Image,
  within: (style: Style) => StyledSpan[],
  style: Style,
  layout: TextLayout,
): StyledSpan[] {
  const address = layout.clean(href).replace(/\s/g, '')
  const isOpened = OPENED.test(address) && address === href
  const role: ThemeColor = isOpened ? 'link' : (style.role ?? 'text')
  const spans = within(isOpened ? { role, link: address } : { role })
  const isNew = stripScheme(address) !== '' && stripScheme(address) !== stripScheme(text)
  if (!isNew || (address.length > SHORT_ADDRESS && isOpened && !LOOKS_LIKE_ADDRESS.test(text))) return spans
  const shown = address.length > SHORT_ADDRESS ? `${address.slice(0, SHORT_ADDRESS - 1)}…` : address
  return [...spans, createSpan(` (${shown})`, { role: 'dim' }, layout)]
}

const stripScheme = (address: string) => address.replace(/^(?:https?:\/\/|mailto:|file:\/\/)/i, '').replace(/\/$/, '')
