/**
 * Tries a version before it is used: its own answer, the configuration on a copy, plugins that were installed, and one turn with the
 * scripted model. It runs in homes of its own; nothing of the real one is changed, and no key is given to it.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type ChildResult, type ChildRun, runChild } from 'svc/sdk/kit/process'
import { getEntry, readPackage } from './installation.ts'

export interface RehearsalDeps {
  readonly run: ChildRun
  /** The root home. */
  readonly home: string
  /** An empty folder for homes; removed by the caller. */
  readonly work: string
  /** The version in use: what fails with it, too, does not count against the new one. */
  readonly currentRoot: string
  /** Folders of plugins that a person installed and that are on, by name. */
  readonly plugins: ReadonlyMap<string, string>
  /** Told of each step that is over. */
  report(line: string): void
}

interface Program {
  readonly root: string
  readonly deps: RehearsalDeps
}

const LIMIT_MS = 120_000
const QUESTION = 'write "rehearsal" to note.txt, then read note.txt'
const PROOF = 'rehearsal'

/** Returns the version. Throws `UPDATE_REHEARSAL`. */
export async function rehearse(root: string, deps: RehearsalDeps): Promise<string> {
  const { version, engines } = readPackage(root)
  await requireNode(version, engines?.node)
  const next = { root, deps }
  await checkStart(next, version)
  deps.report(`svc ${version} starts`)
  for (const home of listHomes(deps.home)) await checkConfig(next, home)
  deps.report('the configuration was migrated and checked on a copy')
  const fit: string[] = []
  for (const [name, dir] of deps.plugins) if (await isFit(next, name, dir)) fit.push(name)
  if (fit.length > 0) deps.report(`plugins of yours keep its contracts: ${fit.join(', ')}`)
  await checkTurn(next)
  deps.report('a turn with the scripted model wrote a file and read it')
  return version
}

async function requireNode(version: string, wanted = '*'): Promise<void> {
  const { default: semver } = await import('semver')
  if (semver.satisfies(process.versions.node, wanted)) return
  const message = `svc ${version} needs Node ${wanted}, and this is Node ${process.versions.node}. Install that Node, then update again.`
  throw new SvcError('UPDATE_REHEARSAL', message)
}

async function checkStart(next: Program, version: string): Promise<void> {
  const said = await svc(next, ['--version'], makeFolder(next, 'start'))
  if (said.code === 0 && said.out.trim() === version) return
  throw fail(`svc --version of ${version}`, said)
}

/** The root home and those of profiles, as far as they have settings. */
function listHomes(home: string): string[] {
  const profiles = join(home, 'profiles')
  const names = existsSync(profiles) ? readdirSync(profiles) : []
  return [home, ...names.map((name) => join(profiles, name))].filter((dir) => existsSync(join(dir, 'config.yaml')))
}

/** An error that the version in use reports as well is not one of the update. */
async function checkConfig(next: Program, home: string): Promise<void> {
  const copy = makeFolder(next, `config-${basename(home)}`)
  cpSync(join(home, 'config.yaml'), join(copy, 'config.yaml'))
  const before = await svc({ ...next, root: next.deps.currentRoot }, ['config', 'check'], copy)
  const migrated = await svc(next, ['config', 'migrate'], copy)
  if (migrated.code !== 0) throw fail(`svc config migrate on a copy of ${home}`, migrated)
  const after = await svc(next, ['config', 'check'], copy)
  if (after.code !== 0 && before.code === 0) throw fail(`svc config check on a copy of ${home}`, after)
}

/** False for a plugin that fails with the version in use as well. Throws `UPDATE_REHEARSAL` for one that only the new version refuses. */
async function isFit(next: Program, name: string, dir: string): Promise<boolean> {
  const home = makeFolder(next, 'plugins')
  const after = await svc(next, ['plugins', 'verify', dir], home)
  if (after.code === 0) return true
  const before = await svc({ ...next, root: next.deps.currentRoot }, ['plugins', 'verify', dir], home)
  if (before.code !== 0) {
    next.deps.report(`${name} fails svc plugins verify with both versions`)
    return false
  }
  const error = fail(`svc plugins verify of ${name}`, after)
  throw new SvcError(
    'UPDATE_REHEARSAL',
    `${error.message} Update that plugin first (svc plugins update ${name}), or switch it off: svc plugins disable ${name}`,
  )
}

async function checkTurn(next: Program): Promise<void> {
  const home = makeFolder(next, 'turn')
  const words = ['chat', '--provider', 'demo', '-q', QUESTION]
  const said = await svc(next, words, home, makeFolder(next, 'project'))
  if (said.code !== 0 || !said.out.includes(PROOF)) throw fail('a turn with the scripted model', said)
}

function svc({ root, deps }: Program, words: readonly string[], home: string, cwd = home): Promise<ChildResult> {
  const env = { SVC_HOME: home, NODE_OPTIONS: undefined }
  return runChild(process.execPath, [getEntry(root), ...words], deps.run, { cwd, env, timeoutMs: LIMIT_MS })
}

/** Empty, for one step. */
function makeFolder({ deps }: Program, name: string): string {
  const dir = join(deps.work, name)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return dir
}

function fail(what: string, { code, out, err, timedOutAfterMs }: ChildResult): SvcError {
  const reason = timedOutAfterMs === undefined ? `ended with ${code ?? 'a signal'}` : 'did not end in time'
  const lines = `${err}\n${out}`.trim().split('\n').slice(0, 3).join(' ').slice(0, 600)
  const said = lines === '' ? '' : `: ${lines.replace(/\.$/, '')}`
  return new SvcError('UPDATE_REHEARSAL', `The new version was not taken: ${what} ${reason}${said}.`)
}
