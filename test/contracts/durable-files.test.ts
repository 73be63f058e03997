/** A file that was replaced in one step has its new name after a power cut, too: its folder is flushed. */
import fs, { fstatSync, readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { writeState } from '../../plugins/messaging/gateway-cli/state-file.ts'
import { changeFile } from '../../plugins/providers/credentials/change-file.ts'
import { commit } from '../../plugins/tools/tool-files/commit.ts'
import { changeEntries } from '../../plugins/tools/tool-memory/memory-file.ts'
import { realRandom } from '../../program/ports.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** What was flushed, in order. */
let flushed: ('file' | 'folder')[] = []

beforeEach(async () => {
  flushed = []
  const note = (descriptor: number) => flushed.push(fstatSync(descriptor).isDirectory() ? 'folder' : 'file')
  const { fsyncSync } = fs
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    note(descriptor)
    fsyncSync(descriptor)
  })
  syncBuiltinESMExports()
  const handle = await open(import.meta.filename, 'r')
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const { sync } = prototype
  vi.spyOn(prototype, 'sync').mockImplementation(function (this: typeof handle) {
    note(this.fd)
    return sync.call(this)
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

test('keys outlive a power cut right after they were written', async () => {
  const host = { clock: virtualClock(), random: realRandom }
  await changeFile(join(temporaryFolder(), 'auth.json'), host, (stored) => {
    stored.credential_pool['x'] = []
  })
  expect(flushed).toEqual(['file', 'folder'])
})

test('the memory outlives a power cut right after it was written', async () => {
  const kernel = await testKernel({ plugins: ['storage'] })
  onTestFinished(() => kernel.stop())
  const folder = temporaryFolder()
  const host = {
    folder: () => folder,
    storage: () => kernel.use(Storage),
    lockFile: join(kernel.home, 'lock.db'),
    random: () => realRandom,
  }
  flushed = []
  changeEntries(host as unknown as Parameters<typeof changeEntries>[0], 'memory', () => ['I like tea.'])
  expect(flushed.slice(-2)).toEqual(['file', 'folder'])
})

test('files that tools wrote outlive a power cut', async () => {
  const folder = temporaryFolder()
  await commit([{ path: join(folder, 'a.txt'), before: undefined, text: 'a' }], realRandom)
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a')
  expect(flushed).toEqual(['file', 'folder'])
})

test('the state of the gateway outlives a power cut', () => {
  const file = join(temporaryFolder(), 'gateway_state.json')
  writeFileSync(file, '{}')
  writeState(file, { kind: 'gateway' } as Parameters<typeof writeState>[1])
  expect(flushed).toEqual(['file', 'folder'])
})
