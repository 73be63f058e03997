import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformance } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { filesFor, kinds } from '../../../../plugins/configuration/plugin-manager/new/templates.ts'
import { attempt, cleanEnvironment, type Said } from '../../../support/packed.ts'
import { root } from '../../../support/repository.ts'
import { isToday } from '../../../support/today.ts'
import { builtPlugins, plugins, pluginsJson, temporaryFolder } from './support.ts'

// Compilers and whole programs take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })
/** Several processes, each with a kernel of its own. */
const NPM_MS = 240_000

interface Made {
  readonly dir: string
  readonly files: readonly string[]
  readonly next: readonly string[]
}

/** The languages differ in types alone, of which one template has any. */
const all = [...kinds.map((kind) => [kind, 'typescript'] as const), ['platform', 'javascript'] as const]

test.for(all)('a new %s plugin in %s keeps the contracts from the first moment', async ([kind, language]) => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()]
  const made = await pluginsJson<Made>(home, ['new', 'my-plugin', '--kind', kind, `--${language}`], { cwd })
  expect(made.dir).toBe(join(cwd, 'my-plugin'))
  expect(made.next).toEqual([
    'svc plugins verify my-plugin',
    'svc plugins install ./my-plugin',
    expect.stringMatching(/^svc (chat|plugins info my-plugin)/),
  ])
  const { cases } = await conformance({ dir: made.dir })
  expect(cases.filter(({ result }) => result === 'failed')).toEqual([])
  expect(cases.length).toBeGreaterThan(5)
})

test('editors, tsc and the tests of a new plugin find what they need, with nothing installed', async () => {
  const cwd = temporaryFolder()
  const home = temporaryFolder()
  for (const kind of kinds) await plugins(home, ['new', `my-${kind}`, '--kind', kind], { cwd })
  const project = { extends: './my-tool/tsconfig.json', include: ['*/index.ts'] }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(project))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [tsc, '-p', cwd], { stdio: 'inherit' })
})

/** `npm test` as its author runs it: without a network, and with nothing of this test run. */
function npmTest(cwd: string): Promise<Said> {
  const env = { ...cleanEnvironment(), npm_config_offline: 'true', NO_COLOR: '1' }
  return attempt('npm', ['test', '--silent'], cwd, env)
}

// Each takes four starts of npm and Node.
test.for(kinds.filter((_, at) => isToday(at, 4)))(
  'npm test of a new %s passes with nothing installed, and fails when the plugin does nothing',
  { timeout: NPM_MS },
  async (kind) => {
    const [home, cwd] = [temporaryFolder(), temporaryFolder()]
    await plugins(home, ['new', 'mine', '--kind', kind], { cwd })
    const dir = join(cwd, 'mine')
    const said = await npmTest(dir)
    expect(said, said.out + said.err).toMatchObject({ code: 0, out: expect.stringMatching(/pass 2\n/) })
    const code = readFileSync(join(dir, 'index.ts'), 'utf8')
    writeFileSync(join(dir, 'index.ts'), code.replace('setup(ctx) {', 'setup(ctx) {\n    if (ctx) return'))
    expect(await npmTest(dir)).toMatchObject({ code: 1, out: expect.stringMatching(/fail [12]\n/) })
  },
)

test('the same tests run under vitest, once that is installed', { timeout: NPM_MS }, async () => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()]
  await plugins(home, ['new', 'mine', '--tests', 'vitest'], { cwd })
  const modules = join(cwd, 'mine', 'node_modules')
  symlinkSync(join(root, 'node_modules', 'vitest'), join(modules, 'vitest'), 'junction')
  mkdirSync(join(modules, '.bin'))
  symlinkSync(join(root, 'node_modules', 'vitest', 'vitest.mjs'), join(modules, '.bin', 'vitest'))
  const said = await npmTest(join(cwd, 'mine'))
  expect(said, said.out + said.err).toMatchObject({ code: 0, out: expect.stringMatching(/Tests +2 passed/) })
})

test('the three commands that a new plugin ends with work as they are printed', async () => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()]
  const made = await builtPlugins(home, ['new', 'echo', '--kind', 'provider', '--json'], cwd)
  const { next } = JSON.parse(made.out) as Made
  expect(next).toHaveLength(3)
  const program = join(root, 'dist', 'kernel', 'bin.cjs')
  const run = (command: string) => {
    const script = command.replace(/^svc/, `"${process.execPath}" "${program}"`)
    return execFileSync('sh', ['-c', script], {
      cwd,
      env: { SVC_HOME: home, PATH: process.env['PATH'] },
      encoding: 'utf8',
    })
  }
  const [verify = '', install = '', chat = ''] = next
  expect(run(verify)).toContain('echo keeps the contracts of svc')
  expect(run(`${install} --yes`)).toContain('echo is on.')
  expect(run(chat)).toContain('You said: Hello!')
})

test('nothing is overwritten, and another folder can be chosen', async () => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(cwd, 'hello'))
  const refused = await plugins(home, ['new', 'hello'], { cwd })
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('nothing was overwritten') })
  expect(readdirSync(join(cwd, 'hello'))).toEqual([])
  expect(await plugins(home, ['new', 'hello', '--dir', 'deep/down'], { cwd })).toMatchObject({ code: 0 })
  expect(existsSync(join(cwd, 'deep', 'down', 'plugin.json'))).toBe(true)
})

test.for([
  [['new', 'Hello'], 2, /cannot be a plugin's name/],
  [['new', 'chat'], 1, /"chat" is there already \(built-in\)/],
  [['new', 'x', '--kind', 'banana'], 2, /tool, platform, provider, hooks/],
  [['new', 'x', '--typescript', '--javascript'], 2, /Choose one/],
  [['new', 'x', '--tests', 'banana'], 2, /node, vitest/],
  [['new'], 2, /needs <name>/],
] as const)('svc plugins %s is refused and makes nothing', async ([words, code, reason]) => {
  const cwd = temporaryFolder()
  const result = await plugins(temporaryFolder(), words, { cwd })
  expect(result.err).toMatch(reason)
  expect(result.code).toBe(code)
  expect(readdirSync(cwd)).toEqual([])
})

test('links that npm took away are put back', async () => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()]
  await plugins(home, ['new', 'hello'], { cwd })
  const modules = join(cwd, 'hello', 'node_modules')
  execFileSync('rm', ['-r', modules])
  expect(await builtPlugins(home, ['verify', 'hello', '--link'], cwd)).toMatchObject({ code: 0 })
  expect(readdirSync(modules).sort()).toEqual(['svc', 'zod'])
  expect(lstatSync(join(modules, 'svc')).isSymbolicLink()).toBe(true)
  expect(JSON.parse(readFileSync(join(modules, 'svc', 'package.json'), 'utf8')).name).toBe('svc')
})

test('every file of a template is filled in', () => {
  for (const kind of kinds)
    for (const [language, runner] of [
      ['ts', 'node'],
      ['js', 'vitest'],
    ] as const) {
      const { files, trial } = filesFor(kind, 'my-plugin', language, runner)
      for (const text of [...Object.keys(files), ...Object.values(files), trial])
        expect(text).not.toMatch(/\bNAME\b|\bTOOL\b|[«»]/)
      expect(JSON.parse(files['plugin.json'] as string)).toMatchObject({ name: 'my-plugin', sdk: '^0.2.0' })
    }
})
