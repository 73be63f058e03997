import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test, vi } from 'vitest'
import { Guard } from '../../../../../plugins/tools/shell/tool-terminal/cleanup-process.ts'
import { newMark, processesWith, temporaryFolder, wallClock } from './support.ts'

/** A silent program in its own session, whose environment holds the mark. */
function daemon(mark: string) {
  return spawn('sleep', ['300'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], SVC_SHELL: mark },
  })
}

test('when svc is killed everything that carries its mark is ended, also what makes no sound', async () => {
  using folder = temporaryFolder()
  const mark = newMark()
  const child = await startElsewhere(folder.path, mark)
  await vi.waitFor(() => expect(processesWith(`SVC_SHELL=${mark}`)).toHaveLength(2), { timeout: 8000 })
  child.kill('SIGKILL')
  await vi.waitFor(() => expect(processesWith(`SVC_SHELL=${mark}`)).toEqual([]), { timeout: 8000 })
})

test('a guard that is sent home leaves others alone; one that began for good looks once more', async () => {
  const mark = newMark()
  const path = process.env['PATH'] ?? ''
  const other = daemon(`${newMark()}-1`)
  const own = daemon(`${mark}-1`)
  const ended = new Promise((resolve) => own.once('exit', (_, signal) => resolve(signal)))
  try {
    const guard = new Guard({ clock: wallClock, mark, path })
    guard.beginForGood()
    await guard.end()
    expect(await ended).toBe('SIGTERM')
    expect(other.exitCode ?? other.signalCode).toBe(null)
  } finally {
    other.kill('SIGKILL')
    own.kill('SIGKILL')
  }
})

/** A process of its own with a guard, and two silent programs of which one has become a daemon. */
async function startElsewhere(folder: string, mark: string) {
  const outfile = join(folder, 'guard.mjs')
  await build({
    stdin: {
      contents: `
        import { spawn } from 'node:child_process'
        import { Guard } from './plugins/tools/shell/tool-terminal/cleanup-process.ts'
        import { wallClock } from './test/plugins/tools/shell/tool-terminal/support.ts'
        const env = { PATH: process.env.PATH, SVC_SHELL: '${mark}-1' }
        new Guard({ clock: wallClock, mark: '${mark}', path: env.PATH }).beginForGood()
        spawn('sleep', ['300'], { env, stdio: 'ignore' })
        spawn('sh', ['-c', 'setsid sleep 300 &'], { env, stdio: 'ignore' })
        setInterval(() => {}, 1000)`,
      resolveDir: process.cwd(),
    },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['svc-source'], logLevel: 'silent' },
  })
  return spawn(process.execPath, [outfile], { stdio: 'inherit' })
}
