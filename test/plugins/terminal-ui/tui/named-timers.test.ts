/** Timers of the screen by their names. */
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { NamedTimers } from '../../../../plugins/terminal-ui/tui/named-timers.ts'

test('a timer replaces that of its name, and none runs after the screen is closed', async () => {
  const clock = virtualClock()
  const timers = new NamedTimers(clock)
  const ran: string[] = []
  timers.after('draw', 10, () => ran.push('first'))
  timers.after('draw', 10, () => ran.push('second'))
  timers.after('tick', 20, () => ran.push('tick'))
  await clock.advance(10)
  expect([ran, timers.has('draw'), timers.has('tick')]).toEqual([['second'], false, true])
  timers.close()
  timers.after('late', 0, () => ran.push('late'))
  await clock.advance(100)
  expect([ran, clock.pending()]).toEqual([['second'], 0])
})
