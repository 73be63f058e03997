/** What several real processes do with one store, some of which are killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Lease, SharedStore } from 'svc/sdk/store'
import type { TestKernel } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bundleScript } from '../../plugins/sessions/storage/support.ts'
import { type DoneTables, migrations, QUEUE } from './done-tables.ts'

const ITEMS = 1000
/** After which a process is taken for hanging. */
const PATIENCE_MS = 30_000

/** A kernel, and where its store is for other processes. */
export interface SharedStage {
  readonly kernel: TestKernel
  readonly folder: string
  readonly url: string
  readonly prefix: string
}

const script = await bundleScript(join(import.meta.dirname, 'child.ts'))

function start({ folder, url, prefix }: SharedStage, task: 'work' | 'hold'): ChildProcess {
  const child = spawn(process.execPath, [script, folder, url, prefix, task], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function readLine(child: ChildProcess): Promise<string> {
  const [data] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer]
  return data.toString().trim()
}

export function storeProcesses(engine: string, stage: () => Promise<SharedStage>): void {
  describe(`processes on a store in ${engine}`, () => {
    test(`three of them do ${ITEMS} items exactly once, although one is killed while it works`, async () => {
      const shared = await stage()
      const store = await shared.kernel.use(SharedStore).open<DoneTables>({ owner: 'board', migrations })
      const queue = store.queue<number>(QUEUE)
      await store.transaction(async (tx) => {
        for (let n = 0; n < ITEMS; n++) await queue.enqueue(n, {}, tx)
      })
      const killed = start(shared, 'work')
      // Begun with the others it may find that they have left it nothing.
      await readLine(killed)
      const others = [start(shared, 'work'), start(shared, 'work')]
      const ended = Promise.all(others.map((child) => once(child, 'exit')))
      for (const child of others) child.stdout?.resume()
      killed.kill('SIGKILL')
      expect((await ended).map(([code]) => code)).toEqual([0, 0])
      const rows = await store.query.selectFrom('done').selectAll().orderBy('n').execute()
      expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: ITEMS }, (_, n) => n))
      expect(new Set(rows.map(({ pid }) => pid)).has(killed.pid ?? 0)).toBe(true)
      expect(await queue.counts()).toEqual({ due: 0, waiting: 0, claimed: 0, dead: 0 })
    })

    test('a lock of a process that was killed is taken over once its time is over, and not before', async () => {
      const shared = await stage()
      const store = await shared.kernel.use(SharedStore).open<DoneTables>({ owner: 'board', migrations })
      const child = start(shared, 'hold')
      const token = Number(await readLine(child))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const take = () => store.locks.take('account', { ttlMs: 60_000, holder: 'other' })
      const left = ((await store.locks.holder('account'))?.expiresAt ?? 0) - (await store.now())
      if (left > 200) expect(await take()).toBeUndefined()
      const lease = await vi.waitFor(
        async () => {
          const taken = await take()
          expect(taken).toBeDefined()
          return taken as Lease
        },
        { timeout: PATIENCE_MS, interval: 50 },
      )
      expect(lease.token).toBe(token + 1)
    })
  })
}
