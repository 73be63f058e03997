import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runBuilt } from '../../../support/built.ts'
import { pluginFiles, temporaryFolder, writeFolder, writePlugin } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A plugin with the command `greet`, which prints `text`. */
function writeGreeter(parent: string, text: string): string {
  const command = `{ name: 'greet', description: 'Greets', run: () => '${text}' }`
  const cli = [{ name: 'greet', description: 'Greets' }]
  return writePlugin(parent, 'hello', { cli }, `setup(ctx) { ctx.add(sdk.CliCommands, ${command}) }`)
}

test('a folder named with --plugin runs for this run, without an installation and without a question', () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  writeGreeter(folder, 'from the folder')
  const named = runBuilt(['--plugin', 'hello', 'greet'], { home, cwd: folder })
  expect(named).toMatchObject({ code: 0, out: 'from the folder\n', err: '' })
  expect(runBuilt(['greet', `--plugin=${join(folder, 'hello')}`], { home }).out).toBe('from the folder\n')
  expect(runBuilt(['greet'], { home })).toMatchObject({ code: 2, err: expect.stringContaining('not a command') })
})

test('a disabled or installed plugin of that name gives way to the folder, which is said', () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const installed = writeGreeter(join(home, 'plugins'), 'installed')
  const dir = writeGreeter(folder, 'from the folder')
  writeFolder(home, { 'config.yaml': 'plugins: { enabled: [hello], disabled: [hello] }\n' })
  const { out, err } = runBuilt(['--plugin', dir, 'greet'], { home })
  expect(out).toBe('from the folder\n')
  expect(err).toBe(`svc: --plugin: hello runs from ${dir} instead of ${installed}\n`)
})

test('several folders run at once; two with one name are refused', () => {
  const [home, folder, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const dir = writeGreeter(folder, 'hi')
  const second = writePlugin(folder, 'second')
  const { out } = runBuilt(['--plugin', dir, '--plugin', second, 'plugins', 'list', '--json'], { home })
  const names = JSON.parse(out).plugins ?? JSON.parse(out)
  expect(names).toContainEqual(expect.objectContaining({ name: 'second', origin: 'command-line' }))
  const twice = runBuilt(['--plugin', dir, '--plugin', writeGreeter(other, 'ho'), 'greet'], { home })
  expect(twice).toMatchObject({ code: 2, out: '', err: expect.stringContaining('both named "hello"') })
})

test.for([
  ['{\n  "name": "hello",\n  "version": 1,,\n}', /plugin\.json:3:16: /],
  [
    `{\n  "name": "hello",\n  "vresion": "1.0.0",\n  ${rest()}\n}`,
    /plugin\.json:3:3: plugin\.json has an unknown field "vresion"/,
  ],
  [`{\n  "name": "Hello!",\n  ${rest()}\n}`, /plugin\.json:2:3: plugin\.json: "name" must be /],
  ['{ "name": "hello" }', /plugin\.json:1:1: plugin\.json lacks "version"/],
] as const)('a fault of plugin.json is said with file and line: %j', ([text, message]) => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const dir = writeGreeter(folder, 'hi')
  writeFolder(dir, { 'plugin.json': text })
  const { code, out, err } = runBuilt(['--plugin', dir, 'greet'], { home })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(message)
})

function rest(): string {
  return '"version": "1.0.0", "sdk": "^0.2.0", "kind": "tool", "description": "d"'
}

test('code that does not load is said with file and line of its source, and other commands run', () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const { 'plugin.json': manifest = '' } = pluginFiles('hello')
  const start = `import { definePlugin } from 'svc/sdk'\n\ninterface Unused { readonly a: string }\n`
  const dir = writeFolder(join(folder, 'hello'), { 'plugin.json': manifest })
  const run = (code: string) => {
    writeFolder(dir, { 'index.ts': `${start}${code}\n` })
    return runBuilt(['--plugin', dir, 'config', 'path'], { home })
  }
  const thrown = run(`export default definePlugin({\n  setup() {\n    throw new Error('forgot something')\n  },\n})`)
  expect(thrown.err).toContain('svc: hello: setup: forgot something (index.ts:6:11)')
  expect(thrown.code).toBe(0)
  const broken = run('export default definePlugin({ setup() { const = 1 } })')
  expect(broken.err).toMatch(/hello\/index\.ts:4:\d+: ERROR: /)
})

test('what is no plugin folder is told so', () => {
  const home = temporaryFolder()
  const run = (...words: string[]) => runBuilt(words, { home, cwd: home })
  expect(run('--plugin', 'nothing', 'config', 'path').err).toContain(`there is no folder ${join(home, 'nothing')}`)
  expect(run('--plugin', '.', 'config', 'path').err).toContain('svc plugins new NAME')
  expect(run('config', 'path', '--plugin')).toMatchObject({ code: 2, err: expect.stringContaining('--plugin needs') })
  const dir = writePlugin(home, 'chat')
  expect(run('--plugin', dir, 'config', 'path').err).toContain('"chat" is a built-in plugin')
  expect(run('--help').out).toContain('--plugin <folder>')
})

test('a program that the agent started may not bring a plugin', () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const dir = writeGreeter(folder, 'hi')
  const { code, out, err } = runBuilt(['--plugin', dir, 'plugins', 'list'], { home, env: { SVC_SHELL: '1' } })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/`svc --plugin` is not for programs that the agent started.*CLI_IN_AGENT/)
})
