/** Says on standard error that an answer is still awaited, so that a slow server is not mistaken for a hung program. */
import type { CliContext, Clock, Translate, TurnEvent } from 'svc/sdk'
import { formatDuration } from 'svc/sdk/terminal'

const EVERY_MS = 30_000

/** What waits now, by the last event; undefined once the turn is over. */
function getAwaited(event: TurnEvent | undefined): 'model' | 'tool' | undefined {
  if (event === undefined) return 'model'
  if (event.type === 'turn.end' || event.type === 'approval.request' || event.type === 'clarify.request')
    return undefined
  return event.type === 'tool.start' || event.type === 'tool.running' || event.type === 'tool.progress'
    ? 'tool'
    : 'model'
}

/** Follows the events of a turn. */
export class Patience {
  readonly #clock: Clock
  readonly #say: (text: string) => void
  readonly #t: Translate
  #since: number
  #last: TurnEvent | undefined
  #cancel = () => {}

  constructor(io: Pick<CliContext, 'err'>, clock: Clock, t: Translate) {
    this.#clock = clock
    this.#say = (text) => io.err(`${text}\n`)
    this.#t = t
    this.#since = clock.monotonic()
    this.#wait()
  }

  see(event: TurnEvent): void {
    this.#last = event
    this.#since = this.#clock.monotonic()
    this.#cancel()
    this.#wait()
  }

  close(): void {
    this.#cancel()
    this.#cancel = () => {}
  }

  #wait(): void {
    const what = getAwaited(this.#last)
    if (what === undefined) return
    const tick = () => {
      const time = formatDuration(this.#clock.monotonic() - this.#since)
      const t = this.#t
      this.#say(
        what === 'tool' ? t('(a tool has run for {time})', { time }) : t('(waiting for the model: {time})', { time }),
      )
      this.#wait()
    }
    this.#cancel = this.#clock.after(EVERY_MS, tick, { background: true })
  }
}
