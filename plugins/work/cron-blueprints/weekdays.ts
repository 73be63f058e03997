/** Days of the week, as people write them and as cron expressions have them. Pure. */

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  daily: DAYS,
  weekdays: DAYS.slice(0, 5),
  weekends: DAYS.slice(5),
}

const CRON: Readonly<Record<string, string>> = { daily: '*', weekdays: 'mon-fri', weekends: 'sat,sun' }

/** The common form of `daily`, `Mon-Fri`, `sun,sat` or `monday`; undefined for anything else. */
export function readDays(text: string): string | undefined {
  const parts = text.toLowerCase().split(/[\s,]+/)
  const found = parts.flatMap((part) => (part === '' ? [] : readPart(part)))
  if (found.length === 0 || found.includes(undefined)) return undefined
  const chosen = DAYS.filter((day) => found.includes(day))
  const group = Object.entries(GROUPS).find(([, days]) => days.join() === chosen.join())
  return group?.[0] ?? chosen.join(',')
}

/** The last field of a cron expression for what `readDays` returns. */
export function toCronDays(days: string): string {
  return CRON[days] ?? days
}

function readPart(part: string): readonly (string | undefined)[] {
  const group = Object.hasOwn(GROUPS, part) ? GROUPS[part] : undefined
  if (group) return group
  const [first = '', last = first, ...more] = part.split('-')
  const [from, to] = [first, last].map((word) => DAYS.findIndex((day) => isDay(word, day)))
  if (from === undefined || to === undefined || from < 0 || to < from || more.length > 0) return [undefined]
  return DAYS.slice(from, to + 1)
}

/** `mon`, `Tues` and `wednesday`. */
function isDay(word: string, day: string): boolean {
  const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const whole = names.find((name) => name.startsWith(day)) ?? ''
  return word.length >= 3 && whole.startsWith(word)
}
