/**
 * How text is marked up for Signal, which keeps styles beside the text, as ranges. Until a message is sent, noncharacters
 * of Unicode stand where a style begins and ends: they are meant for such internal use and occur in no text.
 */
import type { Delimiters, Markup } from 'svc/sdk/platform'

/** By the names that signal-cli has for them (man signal-cli, `--text-style`). */
const STYLES = ['BOLD', 'ITALIC', 'STRIKETHROUGH', 'MONOSPACE'] as const
export type Style = (typeof STYLES)[number]

/** U+FDD0 begins the first style and U+FDD1 ends it, and so on. */
const FIRST = 0xfdd0
const NONCHARACTERS = /[\u{fdd0}-\u{fdef}]/gu

const getMarks = (style: Style): Delimiters => {
  const at = FIRST + 2 * STYLES.indexOf(style)
  return [String.fromCharCode(at), String.fromCharCode(at + 1)]
}

const code = getMarks('MONOSPACE')

export const markup: Markup = {
  bold: getMarks('BOLD'),
  italic: getMarks('ITALIC'),
  strike: getMarks('STRIKETHROUGH'),
  code,
  fence: (text) => `${code[0]}${text}${code[1]}`,
  bullet: '• ',
  escape: (text) => text.replace(NONCHARACTERS, ''),
}

/** What a mark says; undefined for any other character. */
export function markAt(unit: number): { readonly style: Style; readonly begins: boolean } | undefined {
  const style = STYLES[Math.floor((unit - FIRST) / 2)]
  return unit >= FIRST && style ? { style, begins: (unit - FIRST) % 2 === 0 } : undefined
}
