/** All processes that are kept track of: what is behind the service `BackgroundProcesses`. */
import { type Clock, type Random, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { markProcess } from 'svc/sdk/kit/process'
import { readableOutput } from 'svc/sdk/kit/terminal'
import type { BackgroundProcess, BackgroundProcessOptions, ProcessNotification } from 'svc/sdk/shell'
import { Checkpoint, isAlive, type Row } from './checkpoint.ts'
import { startInTerminal, startPiped } from './program.ts'
import { Tracked } from './tracked.ts'
import { NoticeLimit, Watch } from './watch.ts'

const MAX_TRACKED = 64
const KEPT_MS = 1_800_000
const MAX_AGE_MS = 86_400_000
const NOTICE_OUTPUT = 2000
/** Interval of checks while waiting for a process that another svc started. */
const POLL_MS = 250
const KILL_MS = 3000

/** The ids of processes, as state of sessions: a branch begins with those of its parent. */
export interface StartedList {
  of(sessionId: string): readonly string[]
  add(sessionId: string, id: string): void
}

/** What the registry needs. */
export interface RegistryOptions {
  readonly clock: Clock
  readonly random: Random
  readonly file: string
  readonly mask: (text: string) => string
  readonly notify: (notice: ProcessNotification) => void
  readonly warn: (text: string) => void
  /** The processes that sessions know of, beyond this registry. */
  readonly started: StartedList
}

/** Starts, remembers, ends. */
export class Registry {
  readonly #options: RegistryOptions
  readonly #checkpoint: Checkpoint
  readonly #limit: NoticeLimit
  /** In the order of their start. */
  readonly #all = new Map<string, Tracked>()
  #recovered: Promise<void> | undefined
  #closed = false

  constructor(options: RegistryOptions) {
    this.#options = options
    this.#checkpoint = new Checkpoint(options.file, options.warn)
    this.#limit = new NoticeLimit(options.clock)
  }

  async start(request: BackgroundProcessOptions): Promise<BackgroundProcess> {
    await this.#recover()
    this.#makeRoom()
    const { clock, random } = this.#options
    const tracked = new Tracked({ id: `proc_${random.hex(6)}`, startedAt: clock.now(), request })
    this.#all.set(tracked.id, tracked)
    try {
      await this.#launch(tracked, request)
    } catch (error) {
      this.#all.delete(tracked.id)
      throw error
    }
    this.#options.started.add(request.sessionId, tracked.id)
    await this.#save()
    if (!this.#closed) return tracked.state()
    await this.kill(tracked.id)
    throw new SvcError('PROCESS_START', 'Background processes are being switched off; try again once they are back.')
  }

  async list(sessionId: string): Promise<readonly BackgroundProcess[]> {
    await this.#recover()
    this.#prune()
    const known = new Set(this.#options.started.of(sessionId))
    const own = [...this.#all.values()].filter((each) => each.sessionId === sessionId || known.has(each.id))
    return own.map((each) => each.state())
  }

  async wait(id: string, ms: number, signal?: AbortSignal): Promise<BackgroundProcess> {
    const tracked = this.find(id)
    if (!tracked.running || signal?.aborted) return tracked.state()
    const waiting = new AbortController()
    if (tracked.row !== undefined) void this.#lookAfter(tracked, waiting.signal)
    await waitAtMost(this.#options.clock, ms, tracked.ended, { signal })
    waiting.abort()
    return tracked.state()
  }

  async kill(id: string): Promise<BackgroundProcess> {
    const tracked = this.find(id)
    if (!tracked.running) return tracked.state()
    await tracked.end()
    await this.wait(id, KILL_MS)
    return tracked.state()
  }

  /** Ends those that a session has started, without telling it: the session is over. */
  async endSession(sessionId: string): Promise<void> {
    await this.#recover()
    const own = [...this.#all.values()].filter((each) => each.running && each.sessionId === sessionId)
    for (const tracked of own) {
      tracked.tellsEnd = false
      tracked.watch = undefined
    }
    await Promise.all(own.map((each) => this.kill(each.id)))
  }

  forget(id: string): void {
    if (!this.find(id).running) this.#all.delete(id)
  }

  /** The process itself, for the tool. Throws `PROCESS_UNKNOWN`. */
  find(id: string): Tracked {
    const tracked = this.#all.get(id)
    if (tracked !== undefined) return tracked
    throw new SvcError('PROCESS_UNKNOWN', `There is no process ${id}; the action list shows those there are.`)
  }

  /** Ends everything that this svc started. */
  async close(): Promise<void> {
    this.#closed = true
    const own = [...this.#all.values()].filter((each) => each.running && each.row === undefined)
    for (const tracked of own) {
      tracked.tellsEnd = false
      tracked.watch = undefined
    }
    await Promise.all(own.map((each) => this.kill(each.id)))
    for (const tracked of this.#all.values()) tracked.cancelMaxAge()
    if (this.#recovered !== undefined) await this.#save()
  }

  async #launch(tracked: Tracked, request: BackgroundProcessOptions): Promise<void> {
    const { clock } = this.#options
    const { watchPatterns: patterns = [], launch, pty } = request
    if (patterns.length > 0) tracked.watch = this.#watch(tracked, patterns)
    const start = pty ? startInTerminal : startPiped
    const program = await start(launch, {
      onOutput: (text) => {
        tracked.output.add(text)
        tracked.watch?.add(text)
      },
      onExit: (exitCode) => {
        this.#closeLaunch(request)
        this.#ended(tracked, exitCode)
      },
    }).catch((error: unknown) => {
      this.#closeLaunch(request)
      throw error
    })
    tracked.program = program
    tracked.end = () => request.end(program.pid)
    tracked.born = markProcess(program.pid)?.identity ?? ''
    if (!tracked.running) return
    const endOfLife = () => void this.kill(tracked.id).catch((error: unknown) => this.#options.warn(String(error)))
    tracked.cancelMaxAge = clock.after(MAX_AGE_MS, endOfLife, { background: true })
  }

  #closeLaunch({ launch }: BackgroundProcessOptions): void {
    launch.close?.().catch((error: unknown) => this.#options.warn(String(error)))
  }

  #watch(tracked: Tracked, patterns: readonly string[]): Watch {
    const { clock } = this.#options
    const { id, command } = tracked
    return new Watch({
      ...{ patterns, clock, limit: this.#limit },
      onMatch: (lines) =>
        this.#tell(tracked, 'matched', `Background process ${id} (${command}) wrote:\n${lines.join('\n')}`),
      onGiveUp: () => {
        tracked.tellsEnd = true
        const text = `Background process ${id} (${command}) writes what is watched for too often; from now on only its end is told.`
        this.#tell(tracked, 'matched', text)
      },
    })
  }

  #ended(tracked: Tracked, exitCode: number | undefined): void {
    if (!tracked.finish(this.#options.clock.monotonic(), exitCode)) return
    tracked.watch?.finish()
    if (tracked.tellsEnd) {
      const output = readableOutput(tracked.output.get().text).trimEnd().slice(-NOTICE_OUTPUT)
      const head = `Background process ${tracked.id} (${tracked.command}) has ended, exit ${exitCode ?? 'unknown'}.`
      this.#tell(
        tracked,
        'completed',
        output === '' ? `${head} It wrote nothing.` : `${head} The end of its output:\n${output}`,
      )
    }
    if (!this.#closed) void this.#save()
  }

  #tell({ id: processId, sessionId }: Tracked, reason: ProcessNotification['reason'], text: string): void {
    this.#options.notify({ processId, sessionId, reason, text: this.#options.mask(text) })
  }

  /** Takes over what an svc that is gone has left, once. */
  #recover(): Promise<void> {
    this.#recovered ??= this.#readOrphans()
    return this.#recovered
  }

  async #readOrphans(): Promise<void> {
    const rows = await this.#checkpoint.orphans()
    for (const row of rows) {
      const tracked = new Tracked({ id: row.id, startedAt: row.startedAt, request: row })
      tracked.row = row
      tracked.born = row.born
      tracked.end = () => endGroup(row, this.#options.clock)
      this.#all.set(row.id, tracked)
      if (!isAlive(row)) this.#ended(tracked, undefined)
    }
    if (rows.length > 0) await this.#save()
  }

  async #lookAfter(tracked: Tracked, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted && tracked.running) {
      if (!isAlive(tracked)) this.#ended(tracked, undefined)
      else await clock.sleep(POLL_MS, signal).catch(() => undefined)
    }
  }

  #save(): Promise<void> {
    const running = [...this.#all.values()].filter((each) => each.running)
    return this.#checkpoint.write(
      running.map(({ id, sessionId, command, pid, born, startedAt }) => ({
        id,
        sessionId,
        command,
        pid,
        born,
        startedAt,
      })),
    )
  }

  /** Forgets what has ended half an hour ago. */
  #prune(): void {
    const now = this.#options.clock.monotonic()
    for (const { id, endedAt } of this.#all.values()) {
      if (endedAt !== undefined && now - endedAt > KEPT_MS) this.#all.delete(id)
    }
  }

  #makeRoom(): void {
    this.#prune()
    if (this.#all.size < MAX_TRACKED) return
    const [oldest] = [...this.#all.values()]
      .filter((each) => !each.running)
      .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
    if (oldest === undefined) {
      const message = `${MAX_TRACKED} processes run in the background already; kill one that is not needed any more.`
      throw new SvcError('PROCESS_TOO_MANY', message)
    }
    this.#all.delete(oldest.id)
  }
}

/** Ends a process group that another svc began; its leader is the process itself. */
async function endGroup(row: Row, clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(row)) return
    try {
      process.kill(-row.pid, signal)
    } catch (error) {
      // It has just ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    for (let turns = 0; turns < 20 && (await isAlive(row)); turns++) await clock.sleep(50)
  }
}
