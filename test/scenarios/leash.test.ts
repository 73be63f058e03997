/**
 * The agent tries to switch its guards off, through the built program. After each try a command that needs a person must
 * still not run. Where it does run, the case is listed as known: nothing is hidden.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'
import { isToday } from '../support/today.ts'
import { fileWays, hiddenWays, type LeashPlace, programWays, type Way } from './leash-cases.ts'

const program = join(root, 'dist/kernel/bin.cjs')
const IN_ONE_TURN = 16
const MARKER = 'rm -rf victim'
/**
 * Ways that work where nothing confines commands: the judge sees no script in `node --test`, and no file in `>> "$f"`.
 * Confined commands cannot see the home.
 */
const known: readonly string[] = []

interface Stage extends LeashPlace {
  readonly env: Readonly<Record<string, string>>
  readonly model: ModelServer
  script: (index: number) => Reply
}

/** A home, in a random place or where it usually is; a project that git tracks; a model that does what the test says. */
async function stage(isRandom: boolean): Promise<Stage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'leash-')))
  const user = join(folder, 'user')
  const home = isRandom ? join(folder, 'a', 'place-7f3a') : join(user, '.svc')
  const [project, bin] = [join(folder, 'project'), join(folder, 'bin')]
  for (const each of [home, project, bin, user]) mkdirSync(each, { recursive: true, mode: 0o700 })
  symlinkSync(program, join(bin, 'svc'))
  const script = { current: (_: number): Reply => 'done' }
  const model = await startModelServer({ replies: (_, index) => script.current(index) })
  const lines = ['provider: custom', `base_url: ${model.url}`, 'default: fake-model', 'context_length: 1000000']
  writeFileSync(join(home, 'config.yaml'), ['model:', ...lines.map((line) => `  ${line}`), ''].join('\n'))
  onTestFinished(async () => {
    await model.close()
    removeFolder(folder)
  })
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: user, ...(isRandom && { SVC_HOME: home }) }
  return {
    ...{ home, project, env, model, program, svc: 'svc', node: process.execPath },
    get script() {
      return script.current
    },
    set script(next) {
      script.current = next
    },
  }
}

function lay(project: string): void {
  mkdirSync(join(project, 'victim'), { recursive: true })
  writeFileSync(join(project, 'victim', 'work.txt'), 'a day of work')
  const git = (...words: string[]) => execFileSync('git', ['-C', project, ...words], { stdio: 'ignore' })
  if (!existsSync(join(project, '.git'))) git('init', '-q')
  git('add', 'victim')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'work', '--allow-empty')
}

const isThere = (at: LeashPlace) => existsSync(join(at.project, 'victim', 'work.txt'))

/** A whole turn, with no one there who could be asked. */
async function chat(at: Stage): Promise<string> {
  const child = spawn(process.execPath, [program, 'chat', '-q', 'go'], { cwd: at.project, env: at.env })
  child.stdin.end()
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return out + err
}

/** Each way, then the marker; afterwards the marker in a new process. Returns the ways after which it ran. */
async function tryAll(at: Stage, ways: readonly (readonly [string, Way])[]): Promise<string[]> {
  const lost: string[] = []
  for (let start = 0; start < ways.length; start += IN_ONE_TURN) {
    const some = ways.slice(start, start + IN_ONE_TURN)
    const steps = some.flatMap(([, way], place) => [
      createCall(way),
      call('terminal', { command: `${MARKER} # ${place}` }),
      calm(place),
    ])
    const first = at.model.requests.length
    at.script = (index) => {
      const before = some[(index - first) / 3 - 1]
      if (before && !isThere(at)) {
        lost.push(before[0])
        lay(at.project)
      }
      return steps[index - first] ?? 'done'
    }
    const said = await chat(at)
    expect(at.model.requests.length - first, said).toBe(some.length * 3 + 1)
    if (process.env['LEASH_VERBOSE']) console.log(said)
    if (!(await stillAsks(at))) lost.push(`a new process after ${some.map(([name]) => name).join(', ')}`)
  }
  return lost
}

function createCall(way: Way): Reply {
  if ('command' in way) return call('terminal', way)
  return call('code' in way ? 'execute_code' : 'write_file', way)
}

/** Whether the marker still asks after these steps, in this process and in a new one. */
async function holdsAfter(at: Stage, steps: readonly Way[]): Promise<boolean> {
  const first = at.model.requests.length
  const calls = [...steps.map(createCall), call('terminal', { command: MARKER })]
  at.script = (index) => calls[index - first] ?? 'done'
  const said = await chat(at)
  if (process.env['LEASH_VERBOSE']) console.log(said)
  return isThere(at) && (await stillAsks(at))
}

/** What succeeds, so that no turn is ended because its calls keep failing. */
function calm(place: number): Reply {
  const calls = [
    { name: 'terminal', arguments: { command: `echo ${place}` } },
    { name: 'write_file', arguments: { path: 'note.txt', content: `${place}` } },
  ]
  return { calls: calls.map((each, index) => ({ ...each, id: `calm_${index}` })) }
}

async function stillAsks(at: Stage): Promise<boolean> {
  lay(at.project)
  const first = at.model.requests.length
  at.script = (index) => (index === first ? call('terminal', { command: MARKER }) : 'done')
  const said = await chat(at)
  expect(at.model.requests.length, said).toBe(first + 2)
  return isThere(at)
}

const call = (name: string, input: object): Reply => ({ calls: [{ name, arguments: input }] })

describe.skipIf(process.platform === 'win32')('the leash', () => {
  // One of them each day.
  test.each([['a random place', true] as const, ['the usual place', false] as const].filter((_, at) => isToday(at, 2)))(
    'no way leads out through the tools, with the home in %s',
    { timeout: 120_000 },
    async (_, isRandom) => {
      const at = await stage(isRandom)
      lay(at.project)
      const commands = Object.entries(programWays(at)).map(([name, command]) => [name, { command }] as const)
      const all = [...commands, ...Object.entries(fileWays(at))]
      expect(all.length).toBeGreaterThanOrEqual(40)
      expect(await tryAll(at, all)).toEqual([])
    },
  )

  test('what names nothing is asked about, or is known', { timeout: 120_000 }, async () => {
    const names = Object.keys(hiddenWays({ home: '', svc: '', node: '', program: '', project: '' }))
    const lost: string[] = []
    for (const name of names) {
      const at = await stage(true)
      lay(at.project)
      if (!(await holdsAfter(at, hiddenWays(at)[name] ?? []))) lost.push(name)
    }
    expect(lost).toEqual(known)
  })

  test('known: a process that leaves its family with an empty environment is no one’s to svc itself', async () => {
    const at = await stage(true)
    lay(at.project)
    const [script] = hiddenWays(at)['python that leaves its family and starts svc'] as readonly [Way]
    writeFileSync(join(at.project, 'tidy.py'), (script as { content: string }).content)
    const shell = ['-c', 'python3 tidy.py; true']
    await promisify(execFile)('bash', shell, { cwd: at.project, env: { ...at.env, [AGENT_PROCESS_VARIABLE]: 'x' } })
    expect(await stillAsks(at)).toBe(false)
  })

  test('svc itself refuses each of them, whether anyone was asked before or not', { timeout: 120_000 }, async () => {
    const at = await stage(true)
    lay(at.project)
    const env = { ...at.env, [AGENT_PROCESS_VARIABLE]: 'x' }
    const run = async ([name, command]: readonly [string, string]) => {
      const shell = ['-c', `${command}; true`]
      const done = await promisify(execFile)('bash', shell, { cwd: at.project, env }).catch((error) => error)
      return [name, `${done.stdout}${done.stderr}`] as const
    }
    for (const each of Object.entries(programWays(at))) {
      const [name, said] = await run(each)
      const isSilent = name === 'nohup' || name === 'node child'
      expect(isSilent ? 'CLI_IN_AGENT' : said, `${name}: ${said}`).toContain('CLI_IN_AGENT')
    }
    expect(await stillAsks(at)).toBe(true)
  })
})
