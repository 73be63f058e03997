import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformance } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { filesFor, kinds } from '../../../../plugins/configuration/plugin-manager/templates.ts'
import { root } from '../../../support/repository.ts'
import { builtPlugins, plugins, pluginsJson, temporaryFolder } from './support.ts'

// Compilers and whole programs take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

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
  const report = execFileSync(process.execPath, ['--test'], { cwd: join(cwd, 'my-tool'), encoding: 'utf8' })
  expect(report).toMatch(/pass 1\n/)
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
    for (const language of ['ts', 'js'] as const) {
      const { files, trial } = filesFor(kind, 'my-plugin', language)
      for (const text of [...Object.keys(files), ...Object.values(files), trial])
        expect(text).not.toMatch(/\bNAME\b|\bTOOL\b|[«»]/)
      expect(JSON.parse(files['plugin.json'] as string)).toMatchObject({ name: 'my-plugin', sdk: '^0.2.0' })
    }
})
