/** One who listens: changes wait here until they have settled and the call before is over. */
import { basename } from 'node:path'
import { Clock, logFault, type PluginContext } from 'svc/sdk'
import type { FileWatch, WatchedChange } from 'svc/sdk/storage'

const SETTLE_MS = 200
const MAX_WAIT_MS = 2000
const MAX_CHANGES = 500

type Kind = WatchedChange['kind']

export class Listener {
  readonly #ctx: PluginContext<undefined>
  readonly #watch: FileWatch
  readonly #owner: string | undefined
  #pending = new Map<string, Kind>()
  #isComplete = true
  #since: number | undefined
  #cancel: (() => void) | undefined
  #isBusy = false
  #isOver = false

  constructor(ctx: PluginContext<undefined>, watch: FileWatch, owner: string | undefined) {
    this.#ctx = ctx
    this.#watch = watch
    this.#owner = owner
  }

  add({ path, kind }: WatchedChange, isCut: boolean): void {
    const { names } = this.#watch
    if (this.#isOver || names?.includes(basename(path)) === false) return
    if (isCut) this.#isComplete = false
    if (!this.#pending.has(path) && this.#pending.size >= MAX_CHANGES) this.#isComplete = false
    else this.#merge(path, kind)
    this.#plan()
  }

  close(): void {
    this.#isOver = true
    this.#cancel?.()
    this.#pending.clear()
  }

  /** What happened to a file since the last report, seen as one change. */
  #merge(path: string, kind: Kind): void {
    const before = this.#pending.get(path)
    if (before === 'added' && kind === 'removed') this.#pending.delete(path)
    else if (before === 'added') return
    else this.#pending.set(path, before === 'removed' && kind === 'added' ? 'changed' : kind)
  }

  #plan(): void {
    const clock = this.#ctx.use(Clock)
    const now = clock.monotonic()
    this.#since ??= now
    this.#cancel?.()
    const waitMs = Math.max(0, Math.min(SETTLE_MS, this.#since + MAX_WAIT_MS - now))
    this.#cancel = clock.after(waitMs, () => void this.#report(), { background: true })
  }

  async #report(): Promise<void> {
    if (this.#isBusy || this.#isOver) return
    const changes = [...this.#pending].map(([path, kind]) => ({ path, kind }))
    const isComplete = this.#isComplete
    this.#pending = new Map()
    this.#isComplete = true
    this.#since = undefined
    if (changes.length === 0 && isComplete) return
    this.#isBusy = true
    try {
      const sorted = changes.sort((a, b) => (a.path < b.path ? -1 : 1))
      await this.#watch.onChange({ folder: this.#watch.folder, changes: sorted, isComplete })
    } catch (error) {
      logFault(this.#ctx.log, 'a plugin that listens to changes of files failed', error, this.#owner)
    } finally {
      this.#isBusy = false
      if (this.#pending.size > 0 && !this.#isOver) this.#plan()
    }
  }
}
