import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { FileIndex } from '../../../../plugins/agent/mentions/file-index.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

function setUp() {
  const clock = virtualClock()
  const ending = new AbortController()
  const index = new FileIndex({
    clock: () => clock,
    path: () => process.env['PATH'] ?? '',
    signal: ending.signal,
    environment: async () => undefined,
  })
  return { clock, ending, index, cwd: temporaryFolder() }
}

test('files and their folders are known, without the insides of git', async () => {
  const { index, cwd } = setUp()
  writeFiles(cwd, { 'b/c/d.ts': '', 'b/e.ts': '', '.hidden': '', '.git/config': '', a: '' })
  const { paths } = await index.names({ cwd, sessionId: 's' })
  expect([...paths].sort()).toEqual(['.hidden', 'a', 'b/', 'b/c/', 'b/c/d.ts', 'b/e.ts'])
})

test('for some seconds the answer is the same, and then an old one comes at once and a new one next', async () => {
  const { index, clock, cwd } = setUp()
  writeFiles(cwd, { 'one.ts': '' })
  expect((await index.names({ cwd, sessionId: 's' })).paths).toEqual(['one.ts'])
  writeFileSync(join(cwd, 'two.ts'), '')
  await clock.advance(5000)
  expect((await index.names({ cwd, sessionId: 's' })).paths).toEqual(['one.ts'])
  await clock.advance(1)
  expect((await index.names({ cwd, sessionId: 's' })).paths).toEqual(['one.ts'])
  await vi.waitFor(async () => expect((await index.names({ cwd, sessionId: 's' })).paths).toHaveLength(2), 5000)
  expect(clock.pending()).toBe(0)
})

test('a folder that takes long is waited for only a moment, and nothing is left when the plugin goes', async () => {
  const { index, clock, cwd, ending } = setUp()
  writeFiles(cwd, { 'one.ts': '' })
  const asked = index.names({ cwd, sessionId: 's' })
  ending.abort()
  await vi.waitFor(() => clock.advance(500))
  expect((await asked).paths.length).toBeLessThanOrEqual(1)
  await vi.waitFor(() => expect(clock.pending()).toBe(0), 5000)
})
