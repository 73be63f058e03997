/** What a session is called: by the program, and by people. */
import type { Random } from 'svc/sdk'

/** `YYYYMMDD_HHMMSS_<6 hex digits>` in local time: sortable, and unique together with a check in the database. */
export function sessionId(now: number, random: Random): string {
  const date = new Date(now)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`
  const time = `${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
  return `${day}_${time}_${random.hex(3)}`
}

const searched = 10_000

/** The first line with something on it, without control characters, cut to 80 characters; undefined for blank text. */
export function createTitle(text: string): string | undefined {
  const line = /\S[^\r\n]*/.exec(text.slice(0, searched))?.[0] ?? ''
  const printable = line.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()
  return [...printable].slice(0, 80).join('').trimEnd() || undefined
}
