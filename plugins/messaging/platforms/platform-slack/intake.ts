/** What Slack tells is handed over one after the other, that which was missed before that which comes now. */
import { errorMessage } from 'svc/sdk'
import { type GatewayConnection, type InboundMessage, type PrivateNotice, retryUntilTaken } from 'svc/sdk/platform'
import { z } from 'zod'
import type { Assistant } from './assistant.ts'
import { type CatchUpDeps, catchUp, type HistoryMessage } from './catch-up.ts'
import { type Reader, readCommand, readEvent, readPlacement, readPress } from './inbound.ts'
import type { People } from './people.ts'
import { getThreadKey, isLater, type ServedChat } from './served-chats.ts'

export interface IntakeDeps extends CatchUpDeps {
  readonly assistant: Assistant
  readonly link: GatewayConnection
  readonly people: People
  readonly reader: Reader
  readonly teamId: string | undefined
  /** Shows a note to one person. */
  notify(notice: PrivateNotice): void
}

export class Intake {
  readonly #deps: IntakeDeps
  #line: Promise<void> = Promise.resolve()
  /** By place the newest message that was caught up: what Slack sends again up to there is known. */
  readonly #caughtUp: Map<string, string> = new Map()

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  /** Rejects when it could not be taken: then Slack sends it again, a few times. */
  take(type: string, payload: unknown): Promise<void> {
    const taken = this.#line.then(() => (type === 'events_api' ? this.#event(payload) : this.#other(type, payload)))
    this.#line = taken.catch((error: unknown) => {
      const { log, signal } = this.#deps
      if (!signal.aborted)
        log.warn(`A message from Slack was not taken, and will come again: ${errorMessage(error)}`, { error })
    })
    return taken
  }

  /** Reads what was missed once `opened`, before all that comes from now on. */
  catchUp(opened: Promise<void>): void {
    const { log, signal } = this.#deps
    const done = opened.then(() => catchUp(this.#deps, (place, message) => this.#missed(place, message)))
    this.#line = done.catch((error: unknown) => {
      if (!signal.aborted)
        log.warn(`What was written in Slack meanwhile was not taken: ${errorMessage(error)}`, { error })
    })
  }

  async #missed(place: ServedChat, message: HistoryMessage): Promise<void> {
    const { channel, kind } = place
    const event = { ...message, type: 'message', channel, ...(kind && { channel_type: kind }) }
    const payload = { team_id: this.#deps.teamId, event }
    await retryUntilTaken(() => this.#words(payload, place, message.ts), this.#deps)
    this.#caughtUp.set(getThreadKey(place), message.ts)
  }

  async #event(payload: unknown): Promise<void> {
    if (this.#deps.assistant.take(payload)) return
    const at = readPlacement(payload)
    if (!at) return void (await this.#hand(this.#read('events_api', payload), payload))
    const until = this.#caughtUp.get(getThreadKey(at.place))
    if (until !== undefined && !isLater(at.ts, until)) return
    await this.#words(payload, at.place, at.ts)
  }

  async #words(payload: unknown, place: ServedChat, ts: string): Promise<void> {
    const { reader, served } = this.#deps
    const inbound = this.#read('events_api', payload)
    const isOwn = readPlacement(payload)?.user === reader.userId
    served.came(place, ts, isOwn || inbound?.chatKind === 'dm' || inbound?.isMention === true)
    await this.#hand(inbound, payload)
    served.taken(place, ts)
  }

  #other(type: string, payload: unknown): Promise<void> {
    return this.#hand(this.#read(type, payload), payload)
  }

  async #hand(read: InboundMessage | undefined, payload: unknown): Promise<void> {
    const { assistant, link, people, signal } = this.#deps
    signal.throwIfAborted()
    if (!read) return
    const inbound = assistant.complete(read, payload)
    const userName = inbound.userName ?? (await people.findName(inbound.userId))
    signal.throwIfAborted()
    const { notice, outcome } = await link.receive({ ...inbound, ...(userName && { userName }) })
    if (outcome === 'taken') assistant.taken(inbound)
    if (notice !== undefined) this.#deps.notify({ ...inbound, text: notice })
  }

  /** What cannot be understood will not be understood the next time: it counts as taken. */
  #read(type: string, payload: unknown): InboundMessage | undefined {
    const { log, reader } = this.#deps
    try {
      if (type === 'events_api') return readEvent(payload, reader)
      if (type === 'interactive') return readPress(payload)
      return type === 'slash_commands' ? readCommand(payload, reader) : undefined
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : errorMessage(error)
      log.warn(`An event of Slack cannot be understood (${type}): ${reason}`)
      return undefined
    }
  }
}
