/** What Slack tells is handed over one after the other, that which was missed before that which comes now. */
import { errorMessage, handOver, type Inbound, type Notice, type PlatformLink } from 'svc/sdk'
import { z } from 'zod'
import { type CatchUpHost, catchUp, type HistoryMessage } from './catch-up.ts'
import { placedIn, type Reader, readCommand, readEvent, readPress } from './inbound.ts'
import type { People } from './people.ts'
import { isLater, keyOf, type Place } from './served.ts'

/** What it works with. */
export interface IntakeHost extends CatchUpHost {
  readonly link: PlatformLink
  readonly people: People
  readonly reader: Reader
  readonly teamId: string | undefined
  /** Shows a note to one person. */
  notify(notice: Notice): void
}

export class Intake {
  readonly #host: IntakeHost
  #line: Promise<void> = Promise.resolve()
  /** By place the newest message that was caught up: what Slack sends again up to there is known. */
  readonly #caughtUp: Map<string, string> = new Map()

  constructor(host: IntakeHost) {
    this.#host = host
  }

  /** Rejects when it could not be taken: then Slack sends it again, a few times. */
  take(type: string, payload: unknown): Promise<void> {
    const taken = this.#line.then(() => (type === 'events_api' ? this.#event(payload) : this.#other(type, payload)))
    this.#line = taken.catch((error: unknown) => {
      const { log, signal } = this.#host
      if (!signal.aborted)
        log.warn(`A message from Slack was not taken, and will come again: ${errorMessage(error)}`, { error })
    })
    return taken
  }

  /** Reads what was missed once `opened`, before all that comes from now on. */
  catchUp(opened: Promise<void>): void {
    const { log, signal } = this.#host
    const done = opened.then(() => catchUp(this.#host, (place, message) => this.#missed(place, message)))
    this.#line = done.catch((error: unknown) => {
      if (!signal.aborted)
        log.warn(`What was written in Slack meanwhile was not taken: ${errorMessage(error)}`, { error })
    })
  }

  async #missed(place: Place, message: HistoryMessage): Promise<void> {
    const { channel, kind } = place
    const event = { ...message, type: 'message', channel, ...(kind && { channel_type: kind }) }
    const payload = { team_id: this.#host.teamId, event }
    await handOver(() => this.#words(payload, place, message.ts), this.#host)
    this.#caughtUp.set(keyOf(place), message.ts)
  }

  async #event(payload: unknown): Promise<void> {
    const at = placedIn(payload)
    if (!at) return void (await this.#hand(this.#read('events_api', payload)))
    const until = this.#caughtUp.get(keyOf(at.place))
    if (until !== undefined && !isLater(at.ts, until)) return
    await this.#words(payload, at.place, at.ts)
  }

  async #words(payload: unknown, place: Place, ts: string): Promise<void> {
    const { reader, served } = this.#host
    const inbound = this.#read('events_api', payload)
    const isOwn = placedIn(payload)?.user === reader.userId
    served.came(place, ts, isOwn || inbound?.chatKind === 'dm' || inbound?.isMention === true)
    await this.#hand(inbound)
    served.taken(place, ts)
  }

  #other(type: string, payload: unknown): Promise<void> {
    return this.#hand(this.#read(type, payload))
  }

  async #hand(inbound: Inbound | undefined): Promise<void> {
    const { link, people, signal } = this.#host
    signal.throwIfAborted()
    if (!inbound) return
    const userName = inbound.userName ?? (await people.nameOf(inbound.userId))
    signal.throwIfAborted()
    const { notice } = await link.receive({ ...inbound, ...(userName && { userName }) })
    if (notice !== undefined) this.#host.notify({ ...inbound, text: notice })
  }

  /** What cannot be understood will not be understood the next time: it counts as taken. */
  #read(type: string, payload: unknown): Inbound | undefined {
    const { log, reader } = this.#host
    try {
      if (type === 'events_api') return readEvent(payload, reader)
      if (type === 'interactive') return readPress(payload)
      return type === 'slash_commands' ? readCommand(payload) : undefined
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : errorMessage(error)
      log.warn(`An event of Slack cannot be understood (${type}): ${reason}`)
      return undefined
    }
  }
}
