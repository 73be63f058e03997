/** The explorer proves what holds in memory: here its tables are compared with those of the database. */
import fc from 'fast-check'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { test } from 'vitest'
import { compareWalk, walk } from '../../../support/kanban/walks.ts'
import { IS_ALL } from '../../../support/today.ts'

test('whatever is done with tasks, the database does what the tables of the explorer do', async () => {
  const clock = virtualClock(1_800_000_000_000)
  const kernel = await testKernel({ plugins: ['kanban'], clock })
  try {
    const isSame = fc.asyncProperty(walk, (steps) => compareWalk({ kernel, clock }, steps))
    await fc.assert(isSame, { numRuns: IS_ALL ? 2000 : 30 })
  } finally {
    await kernel.stop()
  }
}, 1_200_000)
