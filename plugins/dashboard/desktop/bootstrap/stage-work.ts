/** What each stage does on this machine. A stage may run again at any time: what is there already is left as it is. */
import { SvcError } from 'svc/sdk'
import { type ChildEnd, runProgram } from '../child-program.ts'
import type { ProgramOptions } from './stage-program.ts'
import type { StageName } from './stages.ts'

/** What a stage works with. */
export interface StageDeps extends ProgramOptions {
  /** The root home, absolute. */
  readonly home: string
  /** Of the user: `~`. */
  readonly userFolder: string
  /** The folder of the installation, with its package.json. */
  readonly root: string
  /** Runs svc: its words up to the command. */
  readonly program: readonly string[]
  /** Whether a person can be asked. */
  readonly isInteractive: boolean
  readonly signal: AbortSignal
  log(line: string): void
  /** Hands the terminal over to a command of svc. Returns its exit code. */
  converse(words: readonly string[]): Promise<number>
}

/** Why it had nothing to do, or undefined when it is done. Throws with a sentence for people. */
export type StageWork = (deps: StageDeps) => Promise<{ readonly skipped: string } | undefined>

const PROBE_MS = 10_000

/** What a program says of its version. Throws `DESKTOP_STAGE` when it is there and does not work; undefined when it is missing. */
export async function askVersion(name: string, deps: StageDeps, flag = '--version'): Promise<string | undefined> {
  const end = await runProgram([name, flag], { ...deps, timeoutMs: PROBE_MS })
  if (end.code === 0) return end.lines[0]?.trim() ?? ''
  if (end.code === undefined && /ENOENT/.test(end.problem ?? '')) return undefined
  throw broken(`${name} ${flag}`, end)
}

export function broken(what: string, { code, problem, lines }: ChildEnd): SvcError {
  const tail = lines.slice(-3).join(' | ')
  return new SvcError('DESKTOP_STAGE', `${what} does not work: ${problem ?? `exit ${code}`}${tail ? `: ${tail}` : ''}`)
}

/** A program that is useful and not needed: where it is missing, the stage is skipped with what it would be for. */
function optional(name: string, use: string): StageWork {
  return async (deps) => {
    const version = await askVersion(name, deps)
    if (version === undefined) return { skipped: `${name} is not on the path. ${use}` }
    deps.log(`${name}: ${version}`)
    return undefined
  }
}

const withInput =
  (words: readonly string[]): StageWork =>
  async (deps) => {
    const command = `svc ${words.join(' ')}`
    if (!deps.isInteractive) return { skipped: `A person is needed. Run: ${command}` }
    const code = await deps.converse(words)
    if (code !== 0) throw new SvcError('DESKTOP_STAGE', `${command} ended with exit ${code}. Run it again.`)
    return undefined
  }

const installation = () => import('./installation.ts')
const preparation = () => import('./preparation.ts')

export const STAGE_WORK: Readonly<Record<StageName, StageWork>> = {
  'package-manager': optional('npm', 'Only plugins from npm need it.'),
  runtime: async (deps) => (await installation()).checkRuntime(deps),
  git: optional('git', 'Skills and plugins from repositories need it.'),
  node: optional('node', 'Tool servers that are Node programs need it.'),
  'system-packages': async (deps) => (await preparation()).checkPackages(deps),
  repository: async (deps) => (await installation()).linkProgram(deps),
  launcher: async (deps) => (await installation()).writeLauncher(deps),
  dependencies: async (deps) => (await installation()).checkLibraries(deps),
  'native-modules': async (deps) => (await installation()).checkNativeModules(deps),
  path: async (deps) => (await preparation()).linkCommand(deps),
  'config-templates': async (deps) => (await preparation()).writeTemplates(deps),
  'platform-sdks': async (deps) => (await preparation()).checkPlatforms(deps),
  configure: withInput(['setup']),
  gateway: withInput(['gateway', 'install']),
}
