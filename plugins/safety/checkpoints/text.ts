/** How snapshots are shown. */
import { safeLine } from 'svc/sdk/kit/terminal'

/** How long ago: `20 s`, `3 min`, `2 h`, `5 d`. */
export function ageText(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}

/** Names in a line of Markdown, and the number of the remaining ones. */
export function namesText(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).map((name) => `\`${safeLine(name).replaceAll('`', "'")}\``)
  return names.length > most ? `${shown.join(', ')}, +${names.length - most}` : shown.join(', ')
}
