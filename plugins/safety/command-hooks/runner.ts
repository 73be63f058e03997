/** Finds the hooks of an event, runs them side by side, and keeps what each last did. */
import { type Clock, errorMessage, type Logger, logFault } from 'svc/sdk'
import { failed, type HookAnswer, joined, NO_OUTCOME, type Outcome, toAnswer } from './answer.ts'
import type { EventName } from './events.ts'
import type { Hook } from './hook.ts'
import { getLaunch, type LaunchDeps } from './launcher.ts'
import { findMatch, matcherProblem } from './matcher.ts'
import { findTop, mayHaveHooks, type ProjectHooks, readProject } from './project.ts'
import type { CommandEnd } from './run-command.ts'
import type { TrustedProjects, TrustState } from './trust.ts'

/** Something that hooks may run at. */
export interface Occasion {
  readonly event: EventName
  readonly sessionId: string
  readonly cwd: string
  /** What matchers are compared with; the first that matches is given to `input`. Empty: every hook runs. */
  readonly subjects: readonly string[]
  /** The fields of the event, for the name that a matcher found. */
  readonly input: (subject: string) => Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** What a hook last did. */
export interface LastRun {
  readonly at: number
  readonly ms: number
  readonly end: CommandEnd
  readonly answer: HookAnswer
}

/** What is known of the hooks of a folder. */
export interface KnownHooks {
  readonly hooks: readonly Hook[]
  readonly project?: ProjectHooks & { readonly state: TrustState }
  /** Why the file of the project cannot be used. */
  readonly problem?: string
}

/** What it needs. */
export interface RunnerDeps extends LaunchDeps {
  readonly hooks: readonly Hook[]
  readonly usesProjects: boolean
  readonly trusted: TrustedProjects
  readonly clock: () => Clock
  readonly log: Logger
  readonly mask: (text: string) => string
  /** Tells the person of a session. Does not throw. */
  readonly report: (sessionId: string, text: { readonly hook: Hook; readonly problem: string }) => void
  /** Aborted when the plugin is unloaded. */
  readonly signal: AbortSignal
  /** By the id of the hook; outlives a reload. */
  readonly last: Map<string, LastRun>
}

export class HookRunner {
  readonly #deps: RunnerDeps

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** What hooks last did, by their ids. */
  get last(): ReadonlyMap<string, LastRun> {
    return this.#deps.last
  }

  /** All hooks of a folder: those of the configuration, then those of its project, which run only while they are trusted. */
  async known(cwd: string): Promise<KnownHooks> {
    const { hooks, usesProjects, trusted } = this.#deps
    if (!usesProjects) return { hooks }
    try {
      const project = await readProject(await findTop(cwd))
      if (!project) return { hooks }
      return { hooks: [...hooks, ...project.hooks], project: { ...project, state: trusted.stateOf(project) } }
    } catch (error) {
      logFault(this.#deps.log, 'the hooks of a project cannot be read', error)
      return { hooks, problem: errorMessage(error) }
    }
  }

  /** Whether the configuration has hooks. */
  get isConfigured(): boolean {
    return this.#deps.hooks.length > 0
  }

  /** Whether no hook can run in a folder. Cheap: asked at every event. */
  isIdle(cwd: string): boolean {
    const { hooks, usesProjects } = this.#deps
    return hooks.length === 0 && !(usesProjects && mayHaveHooks(cwd))
  }

  /** Does not throw: what goes wrong is part of the outcome, as the hook declares it. */
  async fire(occasion: Occasion): Promise<Outcome> {
    const { project, hooks, problem } = await this.known(occasion.cwd)
    if (problem !== undefined) this.#deps.log.warn('the hooks of a project do not run', { problem })
    const usable = hooks.filter(({ source }) => source === 'config' || project?.state === 'trusted')
    const found = usable
      .filter(({ event }) => event === occasion.event)
      .flatMap((hook) => matched(hook, occasion.subjects))
    if (found.length === 0) return NO_OUTCOME
    const place = { cwd: occasion.cwd, project: project?.project ?? (await findTop(occasion.cwd)) }
    const answers = await Promise.all(
      distinct(found).map(async ({ hook, subject }) => {
        const running = this.run(hook, occasion, { ...place, subject })
        if (hook.isAsync) return {}
        return (await running).answer
      }),
    )
    return joined(answers)
  }

  /** Runs one hook, whatever its matcher says. Does not throw. */
  async run(
    hook: Hook,
    { event, sessionId, cwd, input, signal }: Pick<Occasion, 'event' | 'sessionId' | 'cwd' | 'input' | 'signal'>,
    { project, subject }: { readonly project: string; readonly subject: string },
  ): Promise<LastRun> {
    const { clock, mask, last, log, report } = this.#deps
    const begun = clock().monotonic()
    const common = {
      session_id: sessionId,
      transcript_path: '',
      cwd,
      permission_mode: 'default',
      hook_event_name: event,
    }
    const end = masked(
      await this.#execute(hook, JSON.stringify({ ...common, ...input(subject) }), { cwd, project }, signal),
      mask,
    )
    const answer = end.kind === 'interrupted' && signal.aborted ? interrupted(hook) : toAnswer(hook, end)
    const run: LastRun = { at: clock().now(), ms: Math.round(clock().monotonic() - begun), end, answer }
    last.set(hook.id, run)
    if (answer.failure !== undefined && !signal.aborted) {
      log.warn('a hook failed', { hook: hook.id, problem: answer.failure })
      report(sessionId, { hook, problem: answer.failure })
    }
    return run
  }

  async #execute(
    hook: Hook,
    input: string,
    place: { readonly cwd: string; readonly project: string },
    signal: AbortSignal,
  ): Promise<CommandEnd> {
    try {
      // Nothing that starts programs is loaded before there is one to start.
      const { runCommand } = await import('./run-command.ts')
      const launch = await getLaunch(hook, place, this.#deps)
      const both = AbortSignal.any([signal, this.#deps.signal])
      const limits = { timeoutMs: hook.timeoutMs, signal: both, clock: this.#deps.clock() }
      return await runCommand(launch, input, limits).finally(() => launch.close())
    } catch (error) {
      logFault(this.#deps.log, `the hook ${hook.id} could not be started`, error)
      return { kind: 'not-started', stdout: '', stderr: '', detail: errorMessage(error) }
    }
  }
}

/** What a hook that never ended would have said is not known. */
function interrupted(hook: Hook): HookAnswer {
  return failed(hook, 'it was interrupted')
}

function matched(
  hook: Hook,
  subjects: readonly string[],
): readonly { readonly hook: Hook; readonly subject: string }[] {
  if (subjects.length === 0) return [{ hook, subject: '' }]
  const subject = findMatch(hook.matcher, subjects)
  return subject === undefined ? [] : [{ hook, subject }]
}

/** The same command runs once, as in the reference. */
function distinct<T extends { readonly hook: Hook }>(all: readonly T[]): readonly T[] {
  const seen = new Set<string>()
  return all.filter(({ hook: { command, args } }) => {
    const key = JSON.stringify([command, args])
    return !seen.has(key) && seen.add(key)
  })
}

function masked({ stdout, stderr, ...end }: CommandEnd, mask: (text: string) => string): CommandEnd {
  return { ...end, stdout: mask(stdout), stderr: mask(stderr) }
}

/** What is wrong with the matchers of hooks, for people. */
export function listProblems(hooks: readonly Hook[]): readonly string[] {
  return hooks.flatMap(({ id, matcher }) => {
    const problem = matcherProblem(matcher)
    return problem === undefined ? [] : [`${id}: ${problem}`]
  })
}
