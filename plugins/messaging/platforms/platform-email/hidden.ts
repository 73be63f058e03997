/** What of a page no reader sees: there a mail could tell the agent what its reader would never have agreed to. */
import { withEntities } from './entities.ts'

/** Whether the element with these attributes is hidden. */
export type Hidden = (attributes: string) => boolean

const ZERO = '0+(?:\\.0*)?(?:px|pt|em|rem|ex|ch|vh|vw|%)?\\s*(?:!|;|$)'
const HIDDEN_STYLES = [
  /(?:^|;)\s*display\s*:\s*none\b/,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)\b/,
  new RegExp(`(?:^|;)\\s*(?:font-size|opacity)\\s*:\\s*${ZERO}`),
]
const CLOSED = new RegExp(`(?:^|;)\\s*(?:max-)?(?:height|width)\\s*:\\s*${ZERO}`)
const CUT = /(?:^|;)\s*overflow\s*:\s*(?:hidden|clip)\b/

const WHITE = '(?:#fff(?:fff)?(?:ff)?|white|rgba?\\(\\s*255\\s*,\\s*255\\s*,\\s*255\\b[^)]*\\))'
const WHITE_TEXT = new RegExp(`(?:^|[;\\s])color\\s*[:=]\\s*["']?${WHITE}(?![\\w(])`)
const BACKGROUND = /(?:background(?:-color)?\s*[:=]|bgcolor\s*=)\s*["']?\s*([^;"'>\s]+)/gi
const PLAIN = new RegExp(`^(?:${WHITE}|none|transparent|inherit|initial)`, 'i')

const MAX_RULES = 200

/** By style, by the attribute `hidden`, and by a class or an id whose rule is in the page. Others of its rules are not known. */
export function findHidden(html: string): Hidden {
  const names = hiddenNames(html)
  const isWhite = [...html.matchAll(BACKGROUND)].every(([, value = '']) => PLAIN.test(value))
  return (attributes) => {
    if (/(?:^|\s)hidden(?:\s|=|\/|$)/i.test(attributes)) return true
    const style = attribute(attributes, 'style')
    if (style && isUnseen(style)) return true
    if (isWhite && WHITE_TEXT.test(`${attributes} ${style}`.toLowerCase())) return true
    if (names.size === 0) return false
    const named = [
      ...attribute(attributes, 'class')
        .split(/\s+/)
        .map((name) => `.${name}`),
      `#${attribute(attributes, 'id')}`,
    ]
    return named.some((name) => names.has(name))
  }
}

function isUnseen(style: string): boolean {
  const said = withEntities(style)
    .replace(/\/\*.*?\*\//gs, '')
    .toLowerCase()
  return HIDDEN_STYLES.some((each) => each.test(said)) || (CUT.test(said) && CLOSED.test(said))
}

function attribute(attributes: string, name: string): string {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, 'i').exec(attributes)
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? ''
}

/** Names of classes and ids, with their marks. Rules that hold on some screens only are left out. */
function hiddenNames(html: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [, sheet = ''] of html.matchAll(/<style\b[^<>]*>([^<]{0,50000})/gi)) {
    const rules = sheet
      .replace(/@[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '')
      .matchAll(/([^{}]{1,500})\{([^{}]{0,2000})\}/g)
    for (const [, selectors = '', style = ''] of [...rules].slice(0, MAX_RULES))
      if (isUnseen(style)) for (const name of listSelectorNames(selectors)) names.add(name)
  }
  return names
}

/** What the last part of each selector names. */
function listSelectorNames(selectors: string): string[] {
  return selectors.split(',').flatMap((each) => /[.#][\w-]+$/.exec(each.trim()) ?? [])
}
