/**
 * Scheduled jobs: when they are due, what became of each due instant, and the service through which they are changed. Provided by the
 * plugin `cron`; the gateway runs what is due.
 */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'

/**
 * What is done about due instants at which no gateway ran. `skip`: nothing; `once`: one run for all of them; `all`: a run for each of
 * the newest, as many as `catchUp` of the job.
 * @since 0.2
 */
export const MISFIRE_POLICIES = ['skip', 'once', 'all'] as const
/** @since 0.2 */
export type MisfirePolicy = (typeof MISFIRE_POLICIES)[number]

/**
 * When a job is due. `once`: at a moment. `every`: each `everyMs` milliseconds after `anchorAt`, so it does not drift. `expression`: one
 * expression of five fields, or six with seconds in front, in a time zone (IANA name). A wall-clock time that a zone leaves out is
 * due at the first moment after the gap, and one that comes twice is due the first time; where minute or hour is a `*`, every time
 * that exists counts, and none that does not.
 * @since 0.2
 */
export type JobSchedule =
  | { readonly kind: 'once'; readonly at: number }
  | { readonly kind: 'every'; readonly everyMs: number; readonly anchorAt: number }
  | { readonly kind: 'expression'; readonly expression: string; readonly timeZone: string }

/** What a job does. @since 0.2 */
export interface JobSettings {
  /** What the model is told. Empty: the output of the script alone. */
  readonly prompt: string
  /** A file in the folder `scripts` of the home, which runs before the model. Its output is put before the prompt. */
  readonly script?: string
  /** The output of the script is the result; no model is asked. */
  readonly isScriptOnly: boolean
  /** Names of skills that are loaded before the prompt. */
  readonly skills: readonly string[]
  readonly provider?: string
  readonly model?: string
  /** Only these toolsets and tools. Left out: those of the surface `cron`. */
  readonly toolsets?: readonly string[]
  /** Ids of jobs whose newest output is put before the prompt. A run waits for their runs that are due before it. */
  readonly contextFrom: readonly string[]
  /** `origin`, `file`, `none`, or targets of `Outbox.send`. What is delivered anywhere is kept in a file as well. */
  readonly deliver: readonly string[]
  /** The chat where it was made, as a target of `Outbox.send`. */
  readonly origin?: string
  readonly misfire: MisfirePolicy
  /** Runs at most that `all` makes up for. */
  readonly catchUp: number
  /** Milliseconds after which a due instant counts as missed. Left out: half the time between two, from 2 minutes to 2 hours. */
  readonly graceMs?: number
  /** It is completed after so many runs. */
  readonly repeat?: number
  /** All its runs together, in US dollars. */
  readonly budgetUsd?: number
  /** One run, in US dollars. */
  readonly runBudgetUsd?: number
  /** Where its runs work; absolute. Left out: `workspace` in the home. */
  readonly cwd?: string
  /** Its runs may create and change jobs. */
  readonly mayManageJobs: boolean
  /**
   * The model of the configuration, as `provider/model`, when a job without one of its own was made, changed or resumed. With another one
   * it does not run. Set by the plugin.
   */
  readonly madeForModel?: string
}

/** `completed`: nothing of it is due any more. `removed`: it can be restored for a while. @since 0.2 */
export type JobState = 'scheduled' | 'paused' | 'completed' | 'removed'

/** A job. @since 0.2 */
export interface ScheduledJob extends JobSettings {
  /** 12 hexadecimal digits; `plugin:<name>` for a job of the point `Jobs`. */
  readonly id: string
  readonly name: string
  readonly schedule: JobSchedule
  readonly state: JobState
  /** Why it is paused. */
  readonly reason?: string
  /** Undefined while nothing is due any more, and while it is paused. */
  readonly nextDueAt?: number
  /** Runs that ended, without those that were asked for by hand. */
  readonly runCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** What may be set when a job is made. What is left out has its default. @since 0.2 */
export interface NewJob extends Partial<JobSettings> {
  /** Left out: the beginning of the prompt, or the script. */
  readonly name?: string
  readonly schedule: JobSchedule
  /**
   * What makes a repeated request recognizable, for callers that may be ended between the request and its answer. Of several jobs with one key
   * the first is made, and returned for the others as it is now, also when it was changed or removed. 200 characters at most.
   */
  readonly key?: string
}

/** Undefined stays as it is, null removes. @since 0.2 */
export type JobChanges = {
  readonly [Key in keyof JobSettings]?: JobSettings[Key] | (undefined extends JobSettings[Key] ? null : never)
} & { readonly name?: string; readonly schedule?: JobSchedule }

/**
 * What became of a due instant. `queued` and `running` are not final. `coalesced`: a run for a later instant stands for it.
 * `expired`: more instants were missed than are made up for, or the job was completed.
 * @since 0.2
 */
export type JobOutcome = 'queued' | 'running' | 'ran' | 'skipped' | 'coalesced' | 'expired'

/**
 * How a run ended. `ok`: with output; `silent`: it said that there is nothing to tell; `failed`: with `error`, also when there was no
 * output; `crashed`: its process died, and it could not be told how far it was.
 * @since 0.2
 */
export type JobRunStatus = 'ok' | 'silent' | 'failed' | 'crashed'

/**
 * Why an instant was skipped. `missed`: no gateway ran, and its job says `skip`; `busy`: the run before was under way; `script`: the
 * script said that there is nothing to do; `budget`: nothing was left to spend; `model`: the configuration names another model than when the job was made; `paused` and `removed`: the job was, before it began.
 * @since 0.2
 */
export type JobSkipReason = 'missed' | 'busy' | 'script' | 'budget' | 'model' | 'paused' | 'removed'

/** The row of a due instant: there is exactly one for each job, moment and trigger. @since 0.2 */
export interface JobRun {
  readonly jobId: string
  /** Unix time in milliseconds. */
  readonly dueAt: number
  /** `manual`: a person or a program asked for it. */
  readonly trigger: 'schedule' | 'manual'
  readonly outcome: JobOutcome
  /** Of `skipped`. */
  readonly reason?: JobSkipReason
  /** Of `ran`. */
  readonly status?: JobRunStatus
  /** Of a run that failed, and of one that was skipped where there is more to say than `reason`. */
  readonly error?: string
  readonly output?: string
  /** Why it could not be delivered. */
  readonly deliveryError?: string
  readonly sessionId?: string
  readonly startedAt?: number
  readonly endedAt?: number
  readonly costUsd?: number
  /** Counts the processes that worked at it. */
  readonly attempts: number
}

/** What was read from the words of a person. @since 0.2 */
export interface JobSuggestion {
  readonly schedule: JobSchedule
  /** As `CronJobs.parse` reads it. */
  readonly text: string
  readonly prompt?: string
  readonly name?: string
}

/** How the scheduler is. @since 0.2 */
export interface CronStatus {
  readonly jobs: Readonly<Record<JobState, number>>
  readonly queued: number
  readonly running: number
  readonly nextDueAt?: number
  /** When a gateway last looked for what is due; undefined: none did. */
  readonly lastTickAt?: number
  /** Unix time in milliseconds by the clock that decides what is due. */
  readonly now: number
}

/** What a look for due instants led to. @since 0.2 */
export interface TickResult {
  /** Rows that were written. */
  readonly instants: number
  /** Runs that ended. */
  readonly runs: readonly JobRun[]
}

/**
 * The jobs of this home. Throws `CRON_SCHEDULE` (the text is no schedule; the message says what is one), `CRON_NEVER` (a schedule that is
 * never due), `CRON_INPUT`, `CRON_UNKNOWN` (no such job), `CRON_AMBIGUOUS` (a name of several jobs), `CRON_REFUSED` (the state of
 * the job does not allow it) and the codes of the shared store. Jobs are named by id, by the beginning of an id, or by name.
 * @since 0.2
 */
export interface CronJobs {
  /**
   * Reads `30m`, `in 2h`, `every 15m`, `0 9 * * mon-fri`, `@daily`, `2027-01-31T09:00` or `2027-01-31T09:00+01:00`. `timeZone` is
   * that of expressions and of moments without one; left out: that of the configuration.
   */
  parse(text: string, options?: { readonly timeZone?: string }): Promise<JobSchedule>
  /** Reads other words with the help of a model. Throws `CRON_SCHEDULE` when it finds none in them, and what `AuxiliaryModels.ask` does. */
  suggest(
    words: string,
    options?: { readonly timeZone?: string; readonly signal?: AbortSignal },
  ): Promise<JobSuggestion>
  /** The next moments at which a schedule is due, five by default. */
  preview(
    schedule: JobSchedule,
    options?: { readonly count?: number; readonly after?: number },
  ): Promise<readonly number[]>
  /** In words: `every 15m`, `0 9 * * 1 (Europe/Zurich)`. */
  describe(schedule: JobSchedule): string
  create(job: NewJob): Promise<ScheduledJob>
  /** By the next due instant. `all`: also what is completed or removed. */
  list(options?: { readonly all?: boolean }): Promise<readonly ScheduledJob[]>
  get(job: string): Promise<ScheduledJob>
  /** Due instants before the change keep their rows. */
  edit(job: string, changes: JobChanges): Promise<ScheduledJob>
  /** Nothing of it is due until `resume`; what is running goes on. */
  pause(job: string, reason?: string): Promise<ScheduledJob>
  /** Due from now on: not for the time in which it was paused. */
  resume(job: string): Promise<ScheduledJob>
  /** It can be restored for 30 days. */
  remove(job: string): Promise<ScheduledJob>
  restore(job: string): Promise<ScheduledJob>
  /**
   * Queues a run for now, which the gateway begins, or `tick`. `at` (Unix time in milliseconds, at most a minute after now): the moment it stands for; a
   * second request for the same moment returns the run of the first, however far it is.
   */
  trigger(job: string, options?: { readonly at?: number }): Promise<JobRun>
  /** The newest first; 50 by default. */
  runs(query?: {
    readonly job?: string
    readonly outcomes?: readonly JobOutcome[]
    readonly limit?: number
  }): Promise<readonly JobRun[]>
  /**
   * The job that a turn works for: the turn of a run, and of its subagents, which spend for the same groups. Undefined for all others. A
   * turn that works for a job may only change jobs if `mayManageJobs` of that job says so.
   */
  ofTurn(turn: { readonly sessionId: string; readonly groups: readonly string[] }): Promise<ScheduledJob | undefined>
  status(): Promise<CronStatus>
  /**
   * Writes the rows of what is due, runs it and waits for it: for a process beside or without a gateway. The signal interrupts
   * runs; an instant is run by one process, however many tick at once.
   */
  tick(options?: { readonly signal?: AbortSignal }): Promise<TickResult>
}
export const CronJobs: Service<CronJobs> = defineService('cron-jobs')

/** Why a job runs. @since 0.2 */
export interface JobContext {
  /** The instant, not the moment at which it began. */
  readonly dueAt: number
  readonly trigger: JobRun['trigger']
  readonly signal: AbortSignal
  /** The groups of its budget, for `TurnRequest.groups`. */
  readonly groups: readonly string[]
}

/**
 * Work of a plugin at certain times, contributed to `Jobs`: unlike `ctx.every` it is done by one process of all that share the
 * store, each due instant once, and it is in the list, the history and the switches of `svc cron`.
 * @since 0.2
 */
export interface Job extends Ordered {
  /** Lower-case letters, digits and hyphens, 60 at most; usually begins with the name of the plugin. */
  readonly name: string
  /** One line, for lists. */
  readonly description: string
  /** As `CronJobs.parse` reads it, without moments: `every 6h`, `30 3 * * *`. */
  readonly schedule: string
  /** Left out: that of the configuration. */
  readonly timeZone?: string
  /** Left out: `once`. */
  readonly misfire?: MisfirePolicy
  /** The text for the history; undefined or empty: there was nothing to tell. What it throws is the error of the run. */
  run(context: JobContext): Promise<string | undefined | void>
}
/** @since 0.2 */
export const Jobs: ExtensionPoint<Job> = extensionPoint('jobs', (job) => job.name, undefined, {
  problem: checkMembers({ name: 'string', description: 'string', schedule: 'string', run: 'function' }),
  acceptsLate: true,
})
