/** When a conversation is reset automatically. */
import type { SessionReset } from 'svc/sdk'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Why it is time; undefined when it is not. `usedAt` is when the conversation was used last. */
export function resetReason(policy: SessionReset, usedAt: number, now: number): 'daily' | 'idle' | undefined {
  const { mode, at_hour: hour, idle_minutes: minutes } = policy
  if ((mode === 'idle' || mode === 'both') && usedAt + minutes * MINUTE_MS < now) return 'idle'
  if ((mode === 'daily' || mode === 'both') && usedAt < lastHour(hour, now)) return 'daily'
  return undefined
}

/** The last moment at which it was that hour, by the clock of this machine. */
function lastHour(hour: number, now: number): number {
  const today = new Date(now)
  today.setHours(hour, 0, 0, 0)
  if (today.getTime() <= now) return today.getTime()
  const yesterday = new Date(now - DAY_MS)
  yesterday.setHours(hour, 0, 0, 0)
  return yesterday.getTime()
}
