/** How snapshots are shown. Names of files and what is in them came from anywhere: none of it may steer a terminal. */

const direction = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const unsafeLine = new RegExp(`[\\p{Cc}\\p{Cs}\\u2028\\u2029${direction}]`, 'gu')
const unsafeBlock = new RegExp(`[^\\P{Cc}\\n\\t]|[\\p{Cs}\\u2028\\u2029${direction}]`, 'gu')

/** On one line. */
export function plain(text: string): string {
  return text.replace(unsafeLine, '\ufffd')
}

/** With its lines and tabs. */
export function plainBlock(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafeBlock, '\ufffd')
}

/** How long ago: `20 s`, `3 min`, `2 h`, `5 d`. */
export function ageText(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}

/** Names in a line of Markdown, and how many there are besides. */
export function namesText(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => `\`${plain(name).replaceAll('`', "'")}\``)
  return names.length > most ? `${shown.join(', ')}, +${names.length - most}` : shown.join(', ')
}
