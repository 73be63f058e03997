/** Which program serves: the first of the candidates that says its version. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Logger, SvcError } from 'svc/sdk'
import { AGENT_FOLDER, readMarker } from '../bootstrap/files.ts'
import type { ProgramOptions } from '../bootstrap/stage-program.ts'
import { runProgram } from '../child-program.ts'

/** A program that can serve. */
export interface BackendProgram {
  /** Its words up to the command of svc. */
  readonly command: readonly string[]
  /** The folder of its installation, where that is known. */
  readonly root: string | undefined
  readonly rung: BackendRung
  readonly version: string
}

export const RUNGS = ['explicit-root', 'explicit-program', 'managed', 'own', 'path'] as const
export type BackendRung = (typeof RUNGS)[number]

export interface LadderDeps extends ProgramOptions {
  readonly home: string
  readonly log: Logger
  get(name: string): string | undefined
  /** This program: its words up to the command, and the folder of its installation. */
  readonly own: { readonly command: readonly string[]; readonly root: string }
}

const PROBE_MS = 5000
const ENTRY = join('dist', 'kernel', 'bin.cjs')

interface Candidate {
  readonly rung: BackendRung
  readonly command: readonly string[]
  readonly root?: string
}

/** Throws `DESKTOP_NO_BACKEND`. */
export async function findBackend(deps: LadderDeps): Promise<BackendProgram> {
  const tried: string[] = []
  for await (const { rung, command, root } of candidates(deps)) {
    const end = await runProgram([...command, '--version'], { ...deps, timeoutMs: PROBE_MS })
    const version = end.code === 0 ? /\d+\.\d+\.\d+\S*/.exec(end.lines.join(' '))?.[0] : undefined
    if (version !== undefined) return { command, root, rung, version }
    const why = end.problem ?? (end.code === 0 ? 'it says no version' : `exit ${end.code}`)
    tried.push(`${command.join(' ')}: ${why}`)
    deps.log.warn('a program cannot serve the desktop', { rung, command: command.join(' '), why })
  }
  const text = `No program can serve the desktop. ${tried.join('; ')}. Install svc again.`
  throw new SvcError('DESKTOP_NO_BACKEND', text)
}

async function* candidates({ get, home, own, environment }: LadderDeps): AsyncGenerator<Candidate> {
  const root = get('SVC_DESKTOP_SVC_ROOT')
  if (root !== undefined) yield { rung: 'explicit-root', command: [process.execPath, join(root, ENTRY)], root }
  const explicit = get('SVC_DESKTOP_SVC')
  if (explicit !== undefined) yield { rung: 'explicit-program', command: [explicit] }
  const isIgnored = get('SVC_DESKTOP_IGNORE_EXISTING') === '1'
  const managed = join(home, AGENT_FOLDER, 'bin', process.platform === 'win32' ? 'svc.cmd' : 'svc')
  if (!isIgnored && (await readMarker(home)) && existsSync(managed))
    yield { rung: 'managed', command: [managed], root: join(home, AGENT_FOLDER, 'program') }
  yield { rung: 'own', ...own }
  if (isIgnored) return
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, process.platform === 'win32' ? 'svc.cmd' : 'svc')
    if (folder !== '' && existsSync(file)) yield { rung: 'path', command: [file] }
  }
}
