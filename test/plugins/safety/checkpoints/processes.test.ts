/** Several processes at one project, and processes that are killed at any moment. */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { listTree, openStore, projectFolder } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-checkpoints-'))
const program = join(folder, 'child.cjs')

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'checkpoint-child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['svc-source'],
    logLevel: 'error',
  })
})
afterAll(() => removeFolder(folder))

type Child = ChildProcessByStdio<Writable, Readable, null>

/** A process that waits for a line before it begins. */
async function worker(...words: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

const realClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}

const files = (text: string) =>
  Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at % 7}/${at}.txt`, `${text} ${at}`]))

function checkStore(home: string): void {
  const dir = join(home, 'data/checkpoints/store')
  const env = { PATH: process.env['PATH'] ?? '' }
  execFileSync('git', [`--git-dir=${dir}`, 'fsck', '--connectivity-only', '--no-dangling'], { env, stdio: 'pipe' })
}

test('two processes at once lose no snapshot, and each snapshot is whole', async () => {
  const [home, dir] = [temporaryFolder(), projectFolder()]
  const children = await Promise.all(['one', 'two'].map((name) => worker(home, dir, name, '6')))
  const ends = children.map((child) => once(child, 'exit'))
  for (const child of children) child.stdin.write('go\n')
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0])
  const store = openStore({ home, clock: realClock })
  const reasons = (await store.list(dir)).map(({ reason }) => reason)
  // What one has taken holds what the other has written: then that needs none of its own.
  expect(reasons.length).toBeGreaterThanOrEqual(6)
  expect(new Set(reasons).size).toBe(reasons.length)
  checkStore(home)
  expect(readdirSync(join(home, 'data/checkpoints/locks'))).toEqual([])
})

test('a process that is killed while it takes snapshots leaves whole ones, and the next goes on at once', async () => {
  const [home, dir] = [temporaryFolder(), projectFolder()]
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.nat(400), async (lines, turns) => {
      const child = await worker(home, dir, 'victim', '1000')
      const end = once(child, 'exit')
      child.stdin.write('go\n')
      for (let line = 0; line <= lines; line++) await once(child.stdout, 'data')
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      child.kill('SIGKILL')
      await end
      const store = openStore({ home, clock: realClock })
      writeFiles(dir, { 'after.txt': `${Math.random()}` })
      expect(await store.take(dir, 'after')).toEqual({ id: expect.any(String) })
      const [newest, before] = await store.list(dir)
      expect(newest).toMatchObject({ reason: 'after', changed: { files: 0 } })
      await store.restore(dir, before?.id ?? '')
      expect((await store.restore(dir, 'undo')).leftAlone).toEqual([])
      checkStore(home)
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

test('a process that is killed while it restores leaves both ways open', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.nat(300), async (rounds, turns) => {
      const [home, dir] = [temporaryFolder(), projectFolder()]
      const store = openStore({ home, clock: realClock })
      writeFiles(dir, files('old'))
      const old = listTree(dir)
      const { id = '' } = await store.take(dir, 'old')
      for (const name of Object.keys(files('')).slice(0, 9)) rmSync(join(dir, name))
      writeFiles(dir, {
        ...Object.fromEntries(Object.entries(files('new')).slice(9)),
        'fresh/x.txt': 'x',
        'fresh/y.txt': 'y',
      })
      const present = listTree(dir)
      const child = await worker(home, dir, 'restore', '1000', id)
      const end = once(child, 'exit')
      child.stdin.write('go\n')
      for (let round = 0; round <= rounds; round++) await once(child.stdout, 'data')
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      child.kill('SIGKILL')
      await end
      const first = (await store.list(dir)).filter(({ reason }) => reason.startsWith('before going back')).at(-1)
      if (first) {
        await store.restore(dir, first.id)
        expect(listTree(dir)).toEqual(present)
      } else expect(listTree(dir)).toEqual(present)
      await store.restore(dir, id)
      expect(listTree(dir)).toEqual(old)
      checkStore(home)
    }),
    { numRuns: 3, endOnFailure: true },
  )
})
