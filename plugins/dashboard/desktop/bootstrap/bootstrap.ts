/**
 * The first launch: runs the stages in order and tells what happens. A failure is latched: `run` throws it again without running
 * anything until `reset`. A run after a reset goes on where the last one failed; `repair` begins again.
 */
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import type { BootstrapEvent, BootstrapSnapshot, StageStatus, UnsupportedPlatform } from './events.ts'
import type { Marker } from './files.ts'
import type { BootstrapManifest, BootstrapStage, StageResult } from './stages.ts'

/** One line that a stage printed. */
export interface StageLine {
  readonly line: string
  readonly stream: 'stdout' | 'stderr'
}

export interface BootstrapDeps {
  readonly clock: Clock
  readMarker(): Promise<Marker | undefined>
  /** Returns what it has written. */
  writeMarker(): Promise<Marker>
  removeMarker(): Promise<void>
  /** Set where no stage can run. */
  unsupportedPlatform?(): UnsupportedPlatform | undefined
  manifest(signal: AbortSignal): Promise<BootstrapManifest>
  runStage(stage: BootstrapStage, signal: AbortSignal, onLine: (line: StageLine) => void): Promise<StageResult>
  emit(event: BootstrapEvent): void
}

const MAX_LOG = 500
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g

export class Bootstrap {
  readonly #deps: BootstrapDeps
  #running: { readonly work: Promise<Marker>; readonly abort: AbortController } | undefined
  #failure: SvcError | undefined
  #stages: Record<string, StageStatus> = {}
  #manifest: BootstrapSnapshot['manifest'] = null
  #log: BootstrapSnapshot['log'][number][] = []
  #times: Pick<BootstrapSnapshot, 'startedAt' | 'completedAt'> = { startedAt: null, completedAt: null }
  #unsupported: UnsupportedPlatform | null = null

  constructor(deps: BootstrapDeps) {
    this.#deps = deps
  }

  snapshot(): BootstrapSnapshot {
    return {
      active: this.#running !== undefined,
      manifest: this.#manifest,
      stages: { ...this.#stages },
      error: this.#failure?.message ?? null,
      log: [...this.#log],
      ...this.#times,
      unsupportedPlatform: this.#unsupported,
    }
  }

  /** Resolves at once if an earlier run was completed. Throws `DESKTOP_BOOTSTRAP`, the latched failure. */
  run(): Promise<Marker> {
    if (this.#failure) return Promise.reject(this.#failure)
    if (this.#running) return this.#running.work
    const abort = new AbortController()
    const work = this.#run(abort.signal).finally(() => {
      this.#running = undefined
    })
    this.#running = { work, abort }
    return work
  }

  /** Whether there was something to cancel. The run fails, and that is latched, too. */
  async cancel(): Promise<boolean> {
    const running = this.#running
    if (!running) return false
    running.abort.abort(new SvcError('DESKTOP_BOOTSTRAP', 'cancelled by user'))
    await running.work.catch(() => undefined)
    return true
  }

  /** Clears the latch. What runs is cancelled first. */
  async reset(): Promise<void> {
    await this.cancel()
    this.#failure = undefined
    this.#unsupported = null
  }

  /** Forgets what was completed, so that all stages run again. */
  async repair(): Promise<void> {
    await this.reset()
    this.#stages = {}
    await this.#deps.removeMarker()
  }

  async #run(signal: AbortSignal): Promise<Marker> {
    try {
      const marker = await this.#deps.readMarker()
      if (marker) return marker
      this.#times = { startedAt: this.#deps.clock.now(), completedAt: null }
      this.#log = []
      this.#tellManifest([])
      this.#checkPlatform()
      const { stages } = await this.#deps.manifest(signal)
      signal.throwIfAborted()
      this.#tellManifest(stages)
      for (const stage of stages) await this.#runStage(stage, signal)
      const written = await this.#deps.writeMarker()
      this.#times = { ...this.#times, completedAt: this.#deps.clock.now() }
      this.#deps.emit({ type: 'complete', marker: written })
      return written
    } catch (error) {
      throw this.#latch(signal.aborted ? signal.reason : error)
    }
  }

  #tellManifest(stages: readonly BootstrapStage[]): void {
    this.#manifest = { stages, protocolVersion: 1 }
    this.#deps.emit({ type: 'manifest', ...this.#manifest })
  }

  #checkPlatform(): void {
    const unsupported = this.#deps.unsupportedPlatform?.()
    if (!unsupported) return
    this.#unsupported = unsupported
    this.#deps.emit({ type: 'unsupported-platform', ...unsupported })
    const text = `${unsupported.platform} is not supported. Install svc with: ${unsupported.installCommand}`
    throw new SvcError('DESKTOP_BOOTSTRAP', text)
  }

  async #runStage(stage: BootstrapStage, signal: AbortSignal): Promise<void> {
    const { name } = stage
    const before = this.#stages[name]?.state
    if (before === 'succeeded' || before === 'skipped') return this.#tellStage(name, this.#stages[name] as StageStatus)
    this.#tellStage(name, { state: 'running' })
    const startedAt = this.#deps.clock.monotonic()
    try {
      const json = await this.#deps.runStage(stage, signal, (line) => this.#tellLine(name, line))
      signal.throwIfAborted()
      const durationMs = json.duration_ms
      if (!json.ok) throw new StageFailure(json)
      this.#tellStage(name, { state: json.skipped ? 'skipped' : 'succeeded', durationMs, json })
    } catch (error) {
      const text = errorMessage(signal.aborted ? signal.reason : error)
      const json = error instanceof StageFailure ? { json: error.result } : {}
      const durationMs = this.#deps.clock.monotonic() - startedAt
      this.#tellStage(name, { state: 'failed', durationMs, ...json, error: text })
      throw new SvcError('DESKTOP_BOOTSTRAP', `${stage.title}: ${text}`, { cause: error })
    }
  }

  #tellStage(name: string, status: StageStatus): void {
    this.#stages = { ...this.#stages, [name]: status }
    this.#deps.emit({ type: 'stage', name, ...status })
  }

  #tellLine(stage: string, { line, stream }: StageLine): void {
    const entry = { stage, line: line.replace(ANSI, ''), stream }
    this.#log = [...this.#log, entry].slice(-MAX_LOG)
    this.#deps.emit({ type: 'log', ...entry })
  }

  #latch(error: unknown): SvcError {
    const failure =
      error instanceof SvcError ? error : new SvcError('DESKTOP_BOOTSTRAP', errorMessage(error), { cause: error })
    this.#failure = failure
    const failed = Object.entries(this.#stages).find(([, { state }]) => state === 'failed')?.[0]
    this.#deps.emit({ type: 'failed', ...(failed !== undefined && { stage: failed }), error: failure.message })
    return failure
  }
}

class StageFailure extends Error {
  readonly result: StageResult

  constructor(result: StageResult) {
    super(result.reason ?? 'it failed without a reason')
    this.result = result
  }
}
