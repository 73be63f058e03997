import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runBuilt } from '../../../support/built.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFolder, writePlugin } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

const code = (setup: string) => `import { CliCommands, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ${setup}
    ctx.add(CliCommands, { name: 'wait', description: 'Waits', run: (_, io) => new Promise((end) => {
      io.signal.addEventListener('abort', () => end(0))
      setTimeout(end, 50_000)
      setTimeout(() => io.err('WAITING'), 1500)
    }) })
  },
})
`

/** The command of a plugin that waits, under `svc plugins dev`; `until` resolves when standard error has the text. */
function startWaiting(more: (folder: string) => readonly string[] = () => []) {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const dir = writePlugin(folder, 'hello', { cli: [{ name: 'wait', description: 'Waits' }] })
  const edit = (setup: string) => void writeFolder(dir, { 'index.ts': code(setup) })
  edit('')
  const others = more(folder)
  const named = others.length > 0 ? ['--plugin', 'hello'] : []
  const words = [
    join(root, 'dist/kernel/bin.cjs'),
    'plugins',
    'dev',
    ...(others.length > 0 ? others : ['hello']),
    '--',
    ...named,
    'wait',
  ]
  const env = { PATH: process.env['PATH'], SVC_HOME: home }
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { err: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const until = (text: string) => expect.poll(() => said.err, { timeout: 20_000 }).toContain(text)
  return { child, dir, edit, ended, until, said }
}

test('svc plugins dev runs a folder in place and says each reload and each fault with its line', async () => {
  const { child, dir, edit, ended, until } = startWaiting()
  await until('edits are followed')
  await until('WAITING')
  edit('ctx.log.info("new")')
  await until('svc: hello: reloaded (generation 2)')
  edit('throw new Error("forgot something")')
  await until('svc: hello: setup: forgot something (index.ts:5:11)')
  await until('the old one keeps serving')
  writeFolder(dir, { 'plugin.json': '{\n  "name":: 1\n}' })
  await until('plugin.json:2:10: ')
  child.kill('SIGTERM')
  expect(await ended).toBe(143)
})

test('a plugin that failed at its first start runs once an edit mends it', async () => {
  let broken = ''
  const { until } = startWaiting((folder) => {
    broken = writePlugin(folder, 'broken', {}, 'setup() { throw new Error("not yet") }')
    return [broken]
  })
  await until('svc: broken: setup: not yet (index.js:2:')
  await until('WAITING')
  writePlugin(join(broken, '..'), 'broken')
  await until('svc: broken: reloaded')
})

test('svc plugins dev ends with the exit code of the command, and opens the debugger', () => {
  const home = temporaryFolder()
  const dir = writePlugin(home, 'hello')
  const run = (...words: string[]) => runBuilt(['plugins', 'dev', dir, ...words], { home })
  expect(run('--', 'config', 'nothing').code).toBe(2)
  const { code, err, out } = run('--inspect', '--', 'plugins', 'list', '--json')
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Debugger listening') })
  expect(out).toContain('"command-line"')
  expect(runBuilt(['plugins', 'dev', 'nothing'], { home }).err).toContain('svc plugins new NAME')
})
