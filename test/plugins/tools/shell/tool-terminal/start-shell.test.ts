import { type ChildProcess, spawn } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test, vi } from 'vitest'
import { newMark, openShell, processesWith, temporaryFolder } from './support.ts'

test('sh stands in where there is no bash', async () => {
  using folder = temporaryFolder()
  symlinkSync('/bin/sh', join(folder.path, 'sh'))
  await using terminal = await openShell(folder.path, { PATH: folder.path })
  await terminal.run('cd /; x=kept')
  const outcome = await terminal.run('echo $x $0; cd /usr; (exit 4)')
  expect(outcome).toMatchObject({ end: 'done', exitCode: 4, cwd: '/usr' })
  expect(outcome.bytes.toString()).toBe('kept sh\n')
})

test('a machine without any shell is told what to install', async () => {
  using folder = temporaryFolder()
  await expect(openShell(folder.path, { PATH: folder.path })).rejects.toMatchObject({ code: 'TERMINAL_NO_SHELL' })
})

test('a folder that does not exist is named instead of blaming the shell', async () => {
  using folder = temporaryFolder()
  const missing = join(folder.path, 'missing')
  await expect(openShell(missing)).rejects.toMatchObject({ code: 'TERMINAL_NO_FOLDER' })
})

test('when svc is killed its idle shell ends by itself, and a command that is running at its next output', async () => {
  using folder = temporaryFolder()
  const mark = newMark()
  const child = await startElsewhere(folder.path, mark)
  try {
    await vi.waitFor(() => expect(processesWith(mark).length).toBeGreaterThan(2), { timeout: 5000 })
  } finally {
    child.kill('SIGKILL')
  }
  await vi.waitFor(() => expect(processesWith(mark)).toEqual([]), { timeout: 5000 })
})

/** A process of its own with two shells: an idle one, and one that runs a command which writes now and then. */
async function startElsewhere(folder: string, mark: string): Promise<ChildProcess> {
  const outfile = join(folder, 'shells.mjs')
  await build({
    stdin: {
      contents: `
        import { startShell } from './plugins/tools/shell/tool-terminal/start-shell.ts'
        import { localTerminal } from './plugins/tools/shell/tool-terminal/backends.ts'
        import { wallClock } from './test/plugins/tools/shell/tool-terminal/support.ts'
        const start = () => startShell({ cwd: '/', mark: '${mark}', clock: wallClock, terminal: localTerminal('/', { PATH: process.env.PATH }) })
        await (await start()).run('true', { onOutput() {} })
        void (await start()).run('while :; do echo tick; sleep 0.05; done', { onOutput() {} })`,
      resolveDir: process.cwd(),
    },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['svc-source'], logLevel: 'silent' },
  })
  return spawn(process.execPath, [outfile], { stdio: 'inherit' })
}
