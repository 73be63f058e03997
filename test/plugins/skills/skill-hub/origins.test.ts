/** What the list of skills asks of the hub. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type HubDeps, SkillHub } from '../../../../plugins/skills/skill-hub/hub.ts'
import type { LockEntry } from '../../../../plugins/skills/skill-hub/lock.ts'

const entry = (path: string) => ({ path, trust: 'community', identifier: `github:acme/${path}` }) as LockEntry

test('a listing of many skills looks once at what was installed, and the next one sees what changed', async () => {
  let looks = 0
  let skills: Record<string, LockEntry> = { tidy: entry('tidy') }
  const hub = new SkillHub({
    root: '/skills',
    state: {
      get() {
        looks += 1
        return { skills, taps: [] }
      },
    },
  } as unknown as HubDeps)
  const find = (name: string) => hub.findOrigin({ folder: join('/skills', name) })
  for (let each = 0; each < 35; each += 1) find(`other-${each}`)
  expect(find('tidy')).toEqual({ origin: 'hub', trust: 'community', source: 'github:acme/tidy' })
  expect(looks).toBe(1)
  await setImmediate()
  skills = { neat: entry('neat') }
  expect([find('tidy'), find('neat')?.origin]).toEqual([undefined, 'hub'])
  expect(looks).toBe(2)
})
