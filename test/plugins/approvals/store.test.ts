import { join } from 'node:path'
import { Storage } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ApprovalStore } from '../../../plugins/approvals/store.ts'

const request = {
  id: 'r1',
  sessionId: 's1',
  turnId: 't1',
  tool: 'terminal',
  action: 'rm -r src',
  reason: 'deletes folders',
  choices: ['once', 'deny'],
  expiresAt: 1000,
  hash: 'h1',
} as const

test('a request that a crash left is answered after the restart, and its answer counts once', async () => {
  const kernel = await testKernel({ plugins: ['storage'] })
  const open = () => new ApprovalStore(() => kernel.use(Storage), join(kernel.home, 'approvals.db'))
  const crashed = open()
  crashed.add(request, 0)
  await crashed.close()
  const store = open()
  expect(store.pending(10)).toMatchObject([{ id: 'r1', action: 'rm -r src' }])
  expect(() => store.answer('r1', { choice: 'always', by: 'x' }, 10)).toThrow(/use once, deny/)
  store.answer('r1', { choice: 'once', by: 'x' }, 10)
  expect(() => store.answer('r1', { choice: 'deny', by: 'y' }, 11)).toThrow(/answered by x/)
  expect(store.left('s1', 'other', 20)).toBeUndefined()
  expect(store.left('s1', 'h1', 20)?.id).toBe('r1')
  expect([store.use('r1'), store.use('r1')]).toEqual([true, false])
  expect(store.left('s1', 'h1', 20)).toBeUndefined()
  await store.close()
  await kernel.stop()
})

test('an answer after the time is refused', async () => {
  const kernel = await testKernel({ plugins: ['storage'] })
  const store = new ApprovalStore(() => kernel.use(Storage), join(kernel.home, 'approvals.db'))
  store.add(request, 0)
  expect(() => store.answer('r1', { choice: 'once', by: 'x' }, 1000)).toThrow(/waits for an answer/)
  expect(store.pending(1000)).toEqual([])
  await store.close()
  await kernel.stop()
})
