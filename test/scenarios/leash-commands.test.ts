/** Every command of the built program and every subcommand: what the agent may start is in one table, the rest is refused. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'
import { isToday } from '../support/today.ts'

const program = join(root, 'dist/kernel/bin.cjs')
/** All of a command, or these subcommands. Anyone who adds one says why it changes nothing and shows no secret. */
const allowed: Readonly<Record<string, true | readonly string[]>> = {
  usage: true,
  'prompt-size': true,
  backup: ['list'],
  bundles: ['list', 'show'],
  checkpoints: ['list', 'diff'],
  config: ['check'],
  cron: ['blueprints', 'list', 'preview', 'status'],
  gateway: ['status'],
  model: ['list'],
  mcp: ['list', 'catalog'],
  plugins: ['list', 'info', 'new'],
  sessions: ['list'],
  skills: ['list', 'view'],
  snapshot: ['list'],
  tools: ['list'],
  why: true,
  doctor: true,
  status: true,
  docs: true,
  storage: ['list'],
}
const AT_ONCE = 4

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'leash-commands-'))
  onTestFinished(() => removeFolder(home))
  return home
}

async function svc(home: string, words: readonly string[], env: object = {}): Promise<string> {
  const options = { cwd: home, env: { PATH: process.env['PATH'], SVC_HOME: home, ...env }, timeout: 20_000 }
  const running = promisify(execFile)(process.execPath, [program, ...words], options)
  running.child.stdin?.end()
  const { stdout, stderr } = await running.catch((error) => error as { stdout: string; stderr: string })
  return stdout + stderr
}

/** The names in the list of commands of a help text. */
function listed(help: string): string[] {
  const sections = help.split('\n\n').map((section) => section.split('\n'))
  const lists = sections.filter(([title = '']) => /^[A-Z]/.test(title) && !/^(Usage|Options|Examples)$/.test(title))
  return lists.flatMap(([, ...lines]) => lines.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []))
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

test('as a child of the agent, only the commands of the table run', { timeout: 120_000 }, async () => {
  const home = temporaryHome()
  const names = listed(await svc(home, ['--help']))
  expect(names).toEqual(expect.arrayContaining(Object.keys(allowed)))
  const all: string[][] = [[], ['--yolo'], ['-p', 'default', 'config', 'check']]
  await each(names, async (name) => {
    all.push([name], ...listed(await svc(home, [name, '--help'])).map((sub) => [name, sub]))
  })
  expect(all.length).toBeGreaterThan(80)
  const ran: string[] = []
  const isAllowed = ([name = '', sub = '']: readonly string[]) => {
    const subs = allowed[name]
    return subs === true || subs?.includes(sub) === true
  }
  await each(
    all.filter((words, at) => isAllowed(words) || isToday(at, 8)),
    async (words) => {
      const said = await svc(home, words, { [AGENT_PROCESS_VARIABLE]: 'x' })
      if (!said.includes('CLI_IN_AGENT')) ran.push(words.join(' '))
    },
  )
  const expected = Object.entries(allowed).flatMap(([name, subs]) =>
    subs === true
      ? all.filter(([first]) => first === name).map((words) => words.join(' '))
      : subs.map((sub) => `${name} ${sub}`),
  )
  expect(ran.sort()).toEqual(expected.sort())
})

test('a home that is not the user’s is no exception, and the refusal says so', async () => {
  const said = await svc(temporaryHome(), ['plugins', 'verify', '.'], { [AGENT_PROCESS_VARIABLE]: 'x' })
  expect(said).toContain('in any home')
  expect(said).toContain('CLI_IN_AGENT')
})
