import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { realRandom } from '../../../kernel/ports.ts'
import { Locks } from '../../../plugins/checkpoints/lock.ts'
import { temporaryFolder } from '../../support/temporary.ts'

test.skipIf(process.platform !== 'linux')(
  'snapshots locked by a process of an earlier boot are free, those locked by one of this boot are not',
  async () => {
    const clock = virtualClock()
    const locks = new Locks(
      () => clock,
      () => realRandom,
    )
    const file = join(temporaryFolder(), 'project.lock')
    const mine = await locks.hold(file, async () => readFileSync(file, 'utf8').split('\n')[2] ?? '')
    const [boot, ticks = ''] = mine.split(':')
    expect(boot).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
    const leave = (identity: string) => writeFileSync(file, [process.pid, hostname(), identity].join('\n'))
    leave(`11111111-2222-3333-4444-555555555555:${ticks}`)
    await locks.hold(file, async () => undefined)
    expect(existsSync(file)).toBe(false)
    for (const identity of [mine, ticks]) {
      leave(identity)
      let isOver = false
      const waiting = locks.hold(file, async () => undefined).catch((error: unknown) => error)
      void waiting.finally(() => {
        isOver = true
      })
      while (!isOver) await clock.advance(1000)
      expect(await waiting).toMatchObject({ code: 'CHECKPOINT_BUSY' })
    }
  },
)
