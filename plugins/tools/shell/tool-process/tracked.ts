/** One process that is kept track of: its output, its end, and what is told of it. */
import type { BackgroundProcess, BackgroundProcessOptions } from 'svc/sdk/shell'
import type { Row } from './checkpoint.ts'
import type { Program } from './program.ts'
import { TailText } from './tail-text.ts'
import type { Watch } from './watch.ts'

/** Characters of output that are kept. */
export const BUFFER_LIMIT = 200_000

/** What is known of a process that this svc started. */
export interface TrackedOptions {
  readonly id: string
  readonly startedAt: number
  readonly request: Pick<BackgroundProcessOptions, 'sessionId' | 'command' | 'notifyOnComplete'>
}

/** A process. `program` and `end` are set by the code that starts it. */
export class Tracked {
  readonly id: string
  readonly sessionId: string
  readonly command: string
  readonly startedAt: number
  readonly output = new TailText(BUFFER_LIMIT)
  program: Program | undefined
  /** Ends it with all it has started. */
  end: () => Promise<void> = async () => undefined
  watch: Watch | undefined
  tellsEnd: boolean
  /** What was typed since the last line end. */
  typed = ''
  /** When its end was noticed, by the clock that never goes back. */
  endedAt: number | undefined
  exitCode: number | undefined
  /** Set when an earlier svc started it. */
  row: Row | undefined
  born = ''
  cancelMaxAge: () => void = () => undefined
  readonly #ended: Promise<void>
  #settle: () => void = () => undefined

  constructor({ id, startedAt, request }: TrackedOptions) {
    this.id = id
    this.startedAt = startedAt
    this.sessionId = request.sessionId
    this.command = request.command
    this.tellsEnd = request.notifyOnComplete ?? false
    this.#ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  get running(): boolean {
    return this.endedAt === undefined
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended
  }

  get pid(): number {
    return this.row?.pid ?? this.program?.pid ?? 0
  }

  /** Notes its end; later calls are ignored. Returns whether this was the first. */
  finish(at: number, exitCode: number | undefined): boolean {
    if (!this.running) return false
    this.endedAt = at
    this.exitCode = exitCode
    this.cancelMaxAge()
    this.#settle()
    return true
  }

  state(): BackgroundProcess {
    const { id, sessionId, command, pid, startedAt, exitCode } = this
    return {
      ...{ id, sessionId, command, pid, startedAt, status: this.running ? 'running' : 'exited' },
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(this.row === undefined ? {} : { detached: true }),
    }
  }
}
