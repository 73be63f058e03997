/** Figures as people read them in front ends: short, and the same everywhere. */

/** `0.4s`, `12s`, `3m 05s`, `2h 07m`. @since 0.2 */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)}s`
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole}s`
  const minutes = Math.floor(whole / 60)
  const two = (count: number) => String(count).padStart(2, '0')
  return minutes < 60 ? `${minutes}m ${two(whole % 60)}s` : `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`
}

/** `950`, `12.3k`, `1.2M`. @since 0.1 */
export function formatCount(count: number): string {
  if (count < 1000) return String(Math.round(count))
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`
}

/** `$0.0042`, `$1.23`. @since 0.2 */
export function formatUsd(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`
}

/** A path with `~` for the user's home folder where it is inside; as it is when `home` is unknown. @since 0.2 */
export function abbreviateHome(path: string, home: string | undefined): string {
  const folder = home?.replace(/[/\\]+$/, '')
  if (!folder || !path.startsWith(folder)) return path
  const rest = path.slice(folder.length)
  return /^([/\\]|$)/.test(rest) ? `~${rest}` : path
}

/** `14:05`, local time. @since 0.2 */
export function formatTime(at: number): string {
  const date = new Date(at)
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
}
