/** The right to dispatch on a machine. */
import { hostname } from 'node:os'
import { SharedStore } from 'svc/sdk/store'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ownHolder } from '../../../../plugins/work/kanban-dispatcher/holder.ts'
import { dispatchLock, openDispatchStore, takeDispatchLock } from '../../../../plugins/work/kanban-dispatcher/loop.ts'

test.for([
  ['one of this machine that was killed', `${hostname()}/999999999/boot:1`, true],
  ['one that runs', ownHolder(), false],
  ['one of another machine, which cannot be looked at', 'elsewhere/999999999/boot:1', false],
] as const)(
  'the right of a dispatcher is taken over at once only from one that has ended: %s',
  async ([, holder, isTaken]) => {
    const kernel = await testKernel({ plugins: ['kanban'] })
    onTestFinished(() => kernel.stop())
    await using database = await openDispatchStore(kernel.use(SharedStore))
    await database.locks.take(dispatchLock(), { ttlMs: 60_000, holder })
    expect((await takeDispatchLock(database)) !== undefined).toBe(isTaken)
  },
)
