/** A third of the plugins a day is reloaded while a screen, a chat and a stream of the API are open, and then each of them is used. */
import { Plugins } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import { isToday } from '../support/today.ts'
import { lostBy, openLiving } from './living.ts'

const ALL_MS = 600_000
/** Each takes 20 s to be found out. */
const MAX_LOST = 5

test('a reload of a plugin loses nothing that is open', { timeout: ALL_MS }, async () => {
  const living = await openLiving()
  const plugins = living.kernel.use(Plugins)
  const running = plugins.list().filter(({ generation, status }) => generation > 0 && status === 'started')
  expect(running.length).toBeGreaterThan(70)
  await Promise.all([living.chat(), living.screen()])
  const lost: string[] = []
  for (const { manifest } of running.filter((_, at) => isToday(at, 12)))
    if (lost.length < MAX_LOST) lost.push(...(await lostBy(living, manifest.name, () => plugins.reload(manifest.name))))
  expect(lost).toEqual([])
  expect(living.kernel.problems()).toEqual([])
})
