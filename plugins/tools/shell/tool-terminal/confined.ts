/** Whether commands of the backend `local` are confined, what they need, and the place that confines them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SvcError, type ToolActions } from 'svc/sdk'
import type { CommandKnowledge, ProcessSandbox, SandboxNeed, ShellContext, ShellEnvironment } from 'svc/sdk/shell'
import type { Captured } from './capture.ts'
import type { Config } from './config.ts'

/** What is asked of the plugin. */
export interface ConfiningDeps {
  readonly mode: Config['confine']
  /** The backend that commands run in. */
  readonly backend: string
  readonly confinement: () => ProcessSandbox | undefined
  readonly knowledge: () => CommandKnowledge | undefined
}

/** A command as its tool got it. */
export interface AskedCommand {
  readonly command: string
  readonly workdir?: string | undefined
  readonly needs?: readonly string[] | undefined
}

/** What was said to the gates of a command is what it gets: kept by its input, which is frozen by then. */
export class Confining {
  readonly #deps: ConfiningDeps
  readonly #needs = new WeakMap<object, readonly SandboxNeed[]>()

  constructor(deps: ConfiningDeps) {
    this.#deps = deps
  }

  /** What confines commands; undefined where they run freely. Throws `TERMINAL_NOT_CONFINED` when they must not. */
  async find(): Promise<ProcessSandbox | undefined> {
    const { mode, backend, confinement } = this.#deps
    if (mode === 'off' || backend !== 'local') return undefined
    const found = confinement()
    const status = await found?.status()
    if (found !== undefined && status?.works) return found
    if (mode === 'auto') return undefined
    const why = status?.detail ?? 'the plugin confinement does not run'
    throw new SvcError('TERMINAL_NOT_CONFINED', `terminal.confine is "required", and nothing was run: ${why}.`)
  }

  /** What a command would do, for the gates. Throws `CONFINEMENT_NEED` and `TERMINAL_NOT_CONFINED`. */
  async acts(input: AskedCommand, place: { readonly cwd: string; readonly sessionId: string }): Promise<ToolActions> {
    const { command } = input
    const confinement = await this.find()
    if (confinement === undefined) return { command }
    const { cwd, sessionId } = place
    const project = await confinement.findProject(cwd)
    const known = await this.#deps.knowledge()?.read(command, { cwd, project, sessionId })
    const readings = confinement.readNeeds([...(known?.needs ?? []), ...(input.needs ?? [])], cwd)
    const needs = readings.map(({ need }) => need)
    this.#needs.set(input, needs)
    // What reaches further than a sandbox holds is judged as if there were none.
    const isHeld = needs.every((need) => isNarrow(need, project))
    const confined = isHeld ? { confined: { writable: [project, '/tmp'], needs } } : {}
    if (readings.length === 0) return { command, ...confined }
    const permits = readings.map((each) => each.permits).join(', and ')
    return {
      ...{ command, ...confined },
      ask: {
        reason: `needs to ${permits}`,
        action: command,
        choices: ['once', 'session', 'project', 'deny'],
        subjects: needs.map((need) => `need:${need}`),
        covers: `commands of this project may ${permits}`,
      },
    }
  }

  /** What a command that failed seems to have lacked, by what it printed. */
  async lacked(
    { head, tail }: Captured,
    { cwd, needs }: { readonly cwd: string; readonly needs: readonly SandboxNeed[] },
    folder: string,
  ): Promise<readonly SandboxNeed[]> {
    const confinement = await this.find()
    if (confinement === undefined) return []
    const project = await confinement.findProject(folder)
    return confinement.lacked(Buffer.concat([head, tail]).toString(), { project, cwd, needs })
  }

  /**
   * Throws `TERMINAL_NOT_CONFINED` when the gates were told that a command runs confined and it would not: what confines
   * came or went in between. `giveUp` ends what it would have run in.
   */
  async hold(input: object, isConfined: boolean, giveUp: () => Promise<void>): Promise<void> {
    if (isConfined || !this.#needs.has(input)) return
    await giveUp()
    throw new SvcError('TERMINAL_NOT_CONFINED', 'Nothing was run: what confines commands has changed. Run it again.')
  }

  /** What the gates were told that the command needs; nothing when they were not asked. */
  getNeeds(input: object): readonly SandboxNeed[] {
    return this.#needs.get(input) ?? []
  }
}

/** Hosts by name, ports, and files: not what can give orders to programs outside, nor what changes files elsewhere. */
function isNarrow(need: SandboxNeed, project: string): boolean {
  return /^(?:network:|port:|read:)/.test(need) || need === `write:${project}` || need.startsWith(`write:${project}/`)
}

/** A place of this machine that confines what is launched in it. */
export async function confinedTerminal(
  { cwd: folder, environment }: Pick<ShellContext, 'cwd' | 'environment'>,
  confinement: ProcessSandbox,
): Promise<ShellEnvironment> {
  const temporary = await mkdtemp(join(tmpdir(), 'svc-confined-'))
  const project = await confinement.findProject(folder)
  return {
    elsewhere: false,
    confined: true,
    launch: ({ command, cwd = folder, pty, needs = [] }) =>
      confinement.launch(command, {
        ...{ project, cwd, temporary, needs, environment },
        ...(pty ? { terminal: 'own' as const } : {}),
      }),
    close: () => rm(temporary, { recursive: true, force: true }),
  }
}
