/** Stories of people who remove svc, and of what must not go with it. The checkout that runs these tests is never an installation. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PluginContext, SvcError } from 'svc/sdk'
import { Control, type InlinePlugin } from 'svc/sdk/host'
import { type UninstallStep, UninstallSteps } from 'svc/sdk/operations'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listData } from '../../../../plugins/operations/uninstall/data.ts'
import { findCompletions } from '../../../../plugins/terminal-ui/completion/uninstall-step.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

/** A plugin with steps, next to those of svc. */
const withSteps = (steps: readonly UninstallStep[]): InlinePlugin => ({
  name: 'extra-steps',
  contributes: { 'uninstall-steps': steps.map(({ name }) => name) },
  with: ['uninstaller'],
  setup(ctx: PluginContext<undefined>) {
    for (const step of steps) ctx.add(UninstallSteps, step)
  },
})

async function open(steps: readonly UninstallStep[] = []) {
  const place = temporaryFolder()
  const home = join(place, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFiles(home, { 'config.yaml': 'model:\n  provider: demo\n' })
  const kernel = await testKernel({
    ...{ plugins: ['uninstall'], home, with: [withSteps(steps)] },
    env: { HOME: place, PATH: process.env['PATH'] },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, place, home }
}

function step(name: string, phase: UninstallStep['phase'], done: string[], why?: string): UninstallStep {
  const remove = async () => {
    if (why !== undefined) throw new SvcError('TEST', why)
    done.push(name)
  }
  return { name, phase, find: async () => [{ text: `Remove ${name}`, remove }] }
}

test('the plan is shown and nothing is done: in the order of phases, with what is for a person and where the data is', async () => {
  const done: string[] = []
  const advice: UninstallStep = { name: 'hand', phase: 'files', find: async () => [{ text: 'Run: brew uninstall x' }] }
  const broken: UninstallStep = {
    ...{ name: 'broken', phase: 'files' },
    find: async () => Promise.reject(new SvcError('TEST', 'The disk cannot be read.')),
  }
  const at = await open([
    ...[step('late', 'program', done), step('menu', 'files', done), step('daemon', 'running', done)],
    ...[advice, broken],
  ])
  const { code, out } = await at.kernel.run(['uninstall', '--dry-run'])
  expect(code).toBe(0)
  expect(out).toMatch(/This is done:\n {2}Remove daemon\n {2}Remove menu\n {2}Remove late\n/)
  expect(out).toMatch(/for you to do:\n(.*\n)* {2}Run: brew uninstall x\n {2}The disk cannot be read\.\n/)
  expect(out).toContain(`The data stays in ${at.home}`)
  const { out: json } = await at.kernel.run(['uninstall', '--dry-run', '--purge', '--json'])
  const plan = JSON.parse(json) as { steps: string[]; kept?: string }
  expect(plan.steps).toEqual([
    ...['Remove daemon', 'Make a backup of the data, next to its folder', 'Remove menu'],
    ...[`Remove ${at.home}`, 'Remove late'],
  ])
  expect(plan.kept).toBeUndefined()
  expect(done).toEqual([])
  expect(readdirSync(at.place)).toEqual(['home'])
})

test('a checkout in which someone works is never removed', async () => {
  const at = await open()
  const { out } = await at.kernel.run(['uninstall', '--yes'])
  expect(out).toContain('is a checkout that install.sh did not make')
  expect(existsSync(join(root, 'package.json'))).toBe(true)
})

test('only after a yes, and what fails stops no other', async () => {
  const done: string[] = []
  const at = await open([
    step('one', 'files', done),
    step('two', 'files', done, 'It is locked.'),
    step('three', 'program', done),
  ])
  expect(await at.kernel.run(['uninstall'])).toMatchObject({ code: 1, err: expect.stringContaining('add --yes') })
  expect(await at.kernel.run(['uninstall'], { interactive: true, answers: ['n'] })).toMatchObject({ code: 1 })
  expect(done).toEqual([])
  const { code, out } = await at.kernel.run(['uninstall'], { interactive: true, answers: ['y'] })
  expect(code).toBe(0)
  expect(done).toEqual(['one', 'three'])
  expect(out).toContain('ok  Remove one')
  expect(out).toMatch(/for you to do:\n(.*\n)* {2}Remove two: It is locked\.\n/)
  expect(existsSync(join(at.home, 'config.yaml'))).toBe(true)
})

test('while svc runs and cannot be ended, nothing else is removed, not even the data', async () => {
  const done: string[] = []
  const at = await open([step('daemon', 'running', done), step('menu', 'files', done), step('late', 'program', done)])
  const work = join(at.home, 'profiles/work')
  mkdirSync(work, { recursive: true })
  await using other = await testKernel({ plugins: ['control'], home: work })
  await using _ = await other.use(Control).serve('gateway')
  // Its own process is not counted: a socket of another one stands for it.
  symlinkSync(readdirSync(join(work, 'run'))[0] ?? '', join(work, 'run/1.sock'))
  const { out } = await at.kernel.run(['uninstall', '--dry-run'])
  expect(out).toContain('Runs now: gateway (process 1)')
  const refused = await at.kernel.run(['uninstall', '--purge', '--yes'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/gateway \(process 1\).*UNINSTALL_RUNNING/s) })
  expect(done).toEqual(['daemon'])
  expect(existsSync(join(at.home, 'config.yaml'))).toBe(true)
  expect(existsSync(`${at.home}-backups`)).toBe(false)
})

test('data is kept or removed, not both; and only a home of svc is removed', async () => {
  const at = await open()
  expect(await at.kernel.run(['uninstall', '--purge', '--keep-data', '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('UNINSTALL_OPTION'),
  })
  const place = temporaryFolder()
  writeFiles(place, { 'letters/a.txt': 'a', '.svc/config.yaml': '', '.svc.before-2026/x': '', '.svc.other/x': '' })
  expect(listData(join(place, '.svc'))).toEqual([join(place, '.svc'), join(place, '.svc.before-2026')])
  expect(listData(join(place, 'none'))).toEqual([])
  expect(() => listData(join(place, 'letters'))).toThrow('does not look like a home of svc')
  // SVC_HOME was set to the folder of a project.
  writeFiles(join(place, 'project'), { 'package.json': '{}', 'data/orders.csv': 'a', '.env': 'PORT=1' })
  expect(() => listData(join(place, 'project'))).toThrow('does not look like a home of svc')
  // Also where the folder of the user is the home of svc, with all that a home has.
  const user = join(place, 'user')
  writeFiles(user, { 'config.yaml': '', 'data/x': 'x' })
  vi.stubEnv('HOME', user)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const folder of [user, place, '/'])
    expect(() => listData(folder), folder).toThrow('holds the folder of the user')
})

test('lines for completion and the script for fish go, and all else in these files stays', async () => {
  const place = temporaryFolder()
  const line = (shell: string) => `eval "$(svc completion ${shell})"\n`
  writeFiles(place, {
    '.bashrc': `export A=1\n${line('bash')}# eval "$(svc completion bash)" is what I added\nexport B=2\n`,
    '.zshrc': `autoload compinit\n  ${line('zsh').trimEnd()}`,
    '.profile': 'export C=3\n',
    '.config/fish/completions/svc.fish': 'complete -c svc -n __fish_use_subcommand -f -a chat\n',
  })
  const get = (name: string) => (name === 'HOME' ? place : undefined)
  const items = findCompletions(get)
  expect(items.map(({ text }) => text.replace(place, '~'))).toEqual([
    'Remove the line for completion from ~/.bashrc',
    'Remove the line for completion from ~/.zshrc',
    'Remove ~/.config/fish/completions/svc.fish',
  ])
  for (const { remove } of items) await remove?.(new AbortController().signal)
  const read = (path: string) => readFileSync(join(place, path), 'utf8')
  expect(read('.bashrc')).toBe('export A=1\n# eval "$(svc completion bash)" is what I added\nexport B=2\n')
  expect(read('.zshrc')).toBe('autoload compinit\n')
  expect(existsSync(join(place, '.config/fish/completions/svc.fish'))).toBe(false)
  writeFileSync(join(place, '.config/fish/completions/svc.fish'), '# my own\n')
  expect(findCompletions(get)).toEqual([])
})
