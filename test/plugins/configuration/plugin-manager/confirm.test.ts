/** Every command of every plugin that wants a yes: with a person, without one, with --json and with --yes. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CliCommand, CliCommands, Sessions } from 'svc/sdk'
import { Credentials } from 'svc/sdk/provider'
import { Checkpoints } from 'svc/sdk/sessions'
import { type CliSetting, type TestKernel, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { createGitRepository } from '../../../support/git-repository.ts'
import { pluginNames, read, sourcesBelow } from '../../../support/repository.ts'
import { isToday } from '../../../support/today.ts'
import { dayMs, talk } from '../../sessions/sessions-cli/support.ts'
import { temporaryFolder, writeFolder, writePlugin } from './support.ts'

/** Something for the command to do. */
interface Place {
  readonly argv: readonly string[]
  /** Differs once something was done. */
  look(): unknown
}
type Prepare = (kernel: TestKernel, clock: VirtualClock) => Promise<Place> | Place

const text = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function switches({ home }: TestKernel, argv: readonly string[]): Place {
  const files = ['config.yaml', 'consents/consents.json', 'plugins/hello/index.js']
  return { argv, look: () => files.map((file) => text(join(home, file))) }
}

function profileSource() {
  const repository = createGitRepository(temporaryFolder())
  repository.commit({ 'SOUL.md': 'Be brief.\n', 'distribution.yaml': 'name: brief\n' })
  return { repository, address: repository.url.replace('git+', '') }
}

function session(kernel: TestKernel, argv: (id: string) => readonly string[]): Place {
  const sessions = kernel.use(Sessions)
  const { id } = talk(sessions, ['hi', 'hello'])
  return { argv: argv(id), look: () => sessions.list().length }
}

async function key(kernel: TestKernel, argv: readonly string[]): Promise<Place> {
  const credentials = kernel.use(Credentials)
  await credentials.add({ provider: 'openai', label: 'work', key: 'sk-1234567890123456' })
  return { argv, look: async () => (await credentials.list('openai')).length }
}

async function snapshot(kernel: TestKernel, argv: readonly string[]): Promise<Place> {
  const project = temporaryFolder()
  writeFolder(project, { '.git/HEAD': 'ref: refs/heads/main\n', 'a.txt': 'before' })
  const checkpoints = kernel.use(Checkpoints)
  await checkpoints.take(project, 'test')
  writeFileSync(join(project, 'a.txt'), 'after')
  const where = argv.includes('clear') ? [] : ['--cwd', project]
  return {
    argv: [...argv, ...where],
    look: async () => [text(join(project, 'a.txt')), (await checkpoints.list(project)).length],
  }
}

function writeSkill(body: string, folder = join(temporaryFolder(), 'tidy')): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: tidy\ndescription: Tidies up.\n---\n\n${body}\n`)
  return folder
}

function skill(home: string, argv: readonly string[]): Place {
  return { argv, look: () => text(join(home, 'skills/tidy/SKILL.md')) }
}

const table: Readonly<Record<string, Prepare>> = {
  'plugins enable': (kernel) => {
    writePlugin(join(kernel.home, 'plugins'), 'hello')
    return switches(kernel, ['plugins', 'enable', 'hello'])
  },
  'plugins disable': (kernel) => switches(kernel, ['plugins', 'disable', 'sessions']),
  'plugins install': (kernel) => {
    return switches(kernel, ['plugins', 'install', writePlugin(temporaryFolder(), 'hello'), '--no-verify'])
  },
  'plugins remove': (kernel) => {
    writePlugin(join(kernel.home, 'plugins'), 'hello')
    return switches(kernel, ['plugins', 'remove', 'hello'])
  },
  'bundles delete': ({ home }) => {
    const file = join(home, 'skill-bundles/release.yaml')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'skills: [deploy]\n')
    return { argv: ['bundles', 'delete', 'release'], look: () => text(file) }
  },
  'skills edits': ({ home }) => {
    const file = join(home, 'data/skills/state/edits.json')
    const edit = {
      id: 1,
      skill: 'a',
      folder: '/a',
      path: 'SKILL.md',
      kind: 'write',
      after: 'x',
      at: 0,
      author: 'model',
    }
    mkdirSync(dirname(file), { recursive: true })
    const value = { next: 2, edits: [{ ...edit, reason: 'r', sessionId: 's', diff: '' }], created: [] }
    writeFileSync(file, JSON.stringify({ version: 1, value }))
    return { argv: ['skills', 'edits', '--undo', '1'], look: () => text(file) }
  },
  'sessions delete': (kernel) => session(kernel, (id) => ['sessions', 'delete', id]),
  'sessions prune': async (kernel, clock) => {
    const place = session(kernel, () => ['sessions', 'prune'])
    await clock.jump(100 * dayMs)
    return place
  },
  'auth remove': (kernel) => key(kernel, ['auth', 'remove', 'openai', 'work']),
  'auth logout': (kernel) => key(kernel, ['auth', 'logout', 'openai']),
  'checkpoints restore': (kernel) => snapshot(kernel, ['checkpoints', 'restore', '1']),
  'checkpoints clear': (kernel) => snapshot(kernel, ['checkpoints', 'clear']),
  'profile install': ({ home }) => {
    const { address } = profileSource()
    return { argv: ['profile', 'install', address], look: () => existsSync(join(home, 'profiles', 'brief')) }
  },
  'profile update': async (kernel) => {
    const { repository, address } = profileSource()
    await kernel.run(['profile', 'install', address, '--yes'])
    repository.commit({ 'SOUL.md': 'Be kind.\n' })
    return { argv: ['profile', 'update', 'brief'], look: () => text(join(kernel.home, 'profiles/brief/SOUL.md')) }
  },
  'profile delete': ({ home }) => {
    const file = join(home, 'profiles', 'work', 'config.yaml')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'a: 1\n')
    return { argv: ['profile', 'delete', 'work'], look: () => text(file) }
  },
  'mcp uninstall': ({ home }) => {
    const clone = join(home, 'mcp-installs', 'clouds', 'server.js')
    mkdirSync(dirname(clone), { recursive: true })
    writeFileSync(clone, '// a server\n')
    return { argv: ['mcp', 'uninstall', 'clouds'], look: () => text(clone) }
  },
  'skills install': ({ home }) => skill(home, ['skills', 'install', writeSkill('one')]),
  'skills remove': async (kernel) => {
    await kernel.run(['skills', 'install', writeSkill('one'), '--yes'])
    return skill(kernel.home, ['skills', 'remove', 'tidy'])
  },
  'skills update': async (kernel) => {
    const folder = writeSkill('one')
    await kernel.run(['skills', 'install', folder, '--yes'])
    writeSkill('two', folder)
    return skill(kernel.home, ['skills', 'update', 'tidy'])
  },
  'skills opt-out': async (kernel) => {
    await kernel.run(['skills', 'sync'])
    const file = join(kernel.home, 'skills/communication/telephony/SKILL.md')
    return {
      argv: ['skills', 'opt-out', '--remove'],
      look: () => [existsSync(file), existsSync(join(kernel.home, '.no-bundled-skills'))],
    }
  },
  'budget confirm': ({ home }) => {
    const name = join(home, 'data', 'budgets', 'budgets.db.name')
    mkdirSync(dirname(name), { recursive: true })
    writeFileSync(name, 'the ledger that was lost\n')
    return { argv: ['budget', 'confirm'], look: () => text(name) }
  },
  'snapshot restore': async (kernel) => {
    await kernel.run(['snapshot', 'create'])
    const soul = join(kernel.home, 'SOUL.md')
    writeFileSync(soul, 'wild')
    return { argv: ['snapshot', 'restore', '1'], look: () => text(soul) }
  },
  'snapshot prune': async (kernel) => {
    await kernel.run(['snapshot', 'create'])
    return {
      argv: ['snapshot', 'prune', '0'],
      look: async () => (await kernel.run(['snapshot', 'list', '--json'])).out,
    }
  },
}
const withoutJson = ['checkpoints clear', 'budget confirm']

/** How the command is run, and whether something is done then. */
const ways: readonly (readonly [string, readonly string[], CliSetting, 'done' | 'declined' | 'refused'])[] = [
  ['by a person who says yes', [], { interactive: true, answers: ['y'] }, 'done'],
  ['by a person who says no', [], { interactive: true, answers: ['n'] }, 'declined'],
  ['by a person who says nothing', [], { interactive: true, answers: [''] }, 'declined'],
  ['on a terminal that ends', [], { interactive: true }, 'declined'],
  ['without a terminal', [], {}, 'refused'],
  ['with a yes in a pipe', [], { stdin: 'y\n', answers: ['y'] }, 'refused'],
  ['with --json on a terminal', ['--json'], { interactive: true, answers: ['y'] }, 'refused'],
  ['with --json without a terminal', ['--json'], {}, 'refused'],
  ['with --yes', ['--yes'], {}, 'done'],
  ['with --yes on a terminal', ['--yes'], { interactive: true, answers: ['n'] }, 'done'],
]

async function kernelWith(clock: VirtualClock): Promise<TestKernel> {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello')
  const plugins = [
    'plugin-manager',
    'sessions-cli',
    'auth-cli',
    'checkpoints',
    'config-cli',
    'budgets',
    'mcp-catalog',
    'profiles',
  ]
  return testKernel({ home, clock, plugins, env: { PATH: process.env['PATH'] } })
}

const rows = Object.entries(table).flatMap(([command, prepare]) => {
  return ways.map(([way, more, setting, outcome]) => ({ command, prepare, way, more, setting, outcome }))
})

test.for(
  rows.filter(
    ({ command, more }, at) => isToday(at, 2) && (!withoutJson.includes(command) || !more.includes('--json')),
  ),
)('svc $command $way is $outcome', async ({ command, prepare, more, setting, outcome }) => {
  const clock = virtualClock(Date.parse('2026-03-14T09:26:53Z'))
  await using kernel = await kernelWith(clock)
  if (command === 'plugins install') rmSync(join(kernel.home, 'plugins'), { recursive: true })
  await using other = command.startsWith('plugins')
    ? await testKernel({ home: kernel.home, plugins: ['plugin-manager'] })
    : kernel
  const { argv, look } = await prepare(kernel, clock)
  const before = await look()
  const { code, err } = await other.run([...argv, ...more], setting)
  const after = await look()
  if (outcome === 'done') {
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('CLI_CONFIRM') })
    expect(after).not.toEqual(before)
    return
  }
  expect({ code, after }).toEqual({ code: 1, after: before })
  expect(err).toContain(outcome === 'refused' ? '--yes' : 'Nothing was changed.')
})

/** Commands that need a registry, two versions or a project: their questions are tested in the files that are named. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...{ 'mcp add': 'test/plugins/mcp/mcp/cli.test.ts', 'mcp remove': 'test/plugins/mcp/mcp/cli.test.ts' },
  ...{ 'mcp logout': 'test/plugins/mcp/mcp/cli.test.ts', 'mcp tools': 'test/plugins/mcp/mcp/cli.test.ts' },
  ...{
    'kanban archive': 'test/plugins/work/kanban-cli/cli.test.ts',
    'kanban gc': 'test/plugins/work/kanban-cli/cli.test.ts',
  },
  ...{
    'kanban attach': 'test/plugins/work/kanban-cli/cli.test.ts',
    'kanban boards': 'test/plugins/work/kanban-cli/cli.test.ts',
  },
  'backup restore': 'test/plugins/operations/backups/backups.test.ts',
  update: 'test/plugins/operations/updates/updates.test.ts',
  import: 'test/plugins/operations/transfer/transfer.test.ts',
  uninstall: 'test/plugins/operations/uninstall/uninstall.test.ts',
  'hooks trust': 'test/plugins/safety/command-hooks/project.test.ts',
  'skills approve': 'test/plugins/skills/skills/staged.test.ts',
  'skills reject': 'test/plugins/skills/skills/staged.test.ts',
  'skills curator accept': 'test/plugins/skills/skills/curator.test.ts',
  'skills reset': 'test/plugins/skills/skill-seeds/seeds.test.ts',
  'skills trust': 'test/plugins/skills/skills/projects.test.ts',
  'mcp install': 'test/plugins/mcp/mcp-catalog/git.test.ts',
  'plugins restore': 'test/plugins/configuration/plugin-manager/purge.test.ts',
  'plugins rollback': 'test/plugins/configuration/plugin-manager/update.test.ts',
  'plugins update': 'test/plugins/configuration/plugin-manager/update.test.ts',
}

test('no command of any plugin that takes --yes is missing in the table', async () => {
  await using kernel = await testKernel({ plugins: pluginNames() })
  const asking = (command: CliCommand, path = ''): string[] => {
    const here = `${path} ${command.name}`.trim()
    const isAsking = command.options?.some(({ flags }) => flags.includes('--yes'))
    return [...(isAsking ? [here] : []), ...(command.subcommands ?? []).flatMap((sub) => asking(sub, here))]
  }
  const all = kernel
    .all(CliCommands)
    .all()
    .flatMap((command) => asking(command))
  expect(all.sort()).toEqual([...Object.keys(table), ...Object.keys(ELSEWHERE)].sort())
  for (const file of Object.values(ELSEWHERE)) expect(read(file)).toContain('--yes')
})

test('only one function asks for a yes: no plugin has its own question', () => {
  const own = sourcesBelow('plugins').filter((file) => /io\.ask\([^)]*\[y\/N\]/.test(read(file)))
  expect(own).toEqual([])
})
