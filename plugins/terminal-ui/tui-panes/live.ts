/** Keeps screens up to date while they are open. */
import { Clock, type Dispose, errorMessage, type PluginContext, Sessions, type TurnEvent } from 'svc/sdk'

/** Until the returned function is called, the work fails, or the plugin is unloaded. */
export function every(ctx: PluginContext<undefined>, ms: number, work: () => void): Dispose {
  const { signal } = ctx
  let isOver = signal.aborted
  let cancel = () => {}
  const stop = () => {
    isOver = true
    cancel()
    signal.removeEventListener('abort', stop)
  }
  const tick = () => {
    try {
      work()
      wait()
    } catch (error) {
      ctx.log.warn(`a screen is not kept up to date any more: ${errorMessage(error)}`, { error })
      stop()
    }
  }
  const wait = () => {
    if (!isOver) cancel = ctx.use(Clock).after(ms, tick, { background: true })
  }
  signal.addEventListener('abort', stop, { once: true })
  wait()
  return stop
}

/** The events of a session: each is read once. */
export class EventLog {
  readonly #ctx: PluginContext<undefined>
  readonly #sessionId: string
  #seq = 0

  constructor(ctx: PluginContext<undefined>, sessionId: string) {
    this.#ctx = ctx
    this.#sessionId = sessionId
  }

  /** Those that came since the last call. */
  next(): readonly TurnEvent[] {
    const events = this.#ctx.use(Sessions).open(this.#sessionId).events(this.#seq)
    this.#seq = events.at(-1)?.seq ?? this.#seq
    return events
  }
}
