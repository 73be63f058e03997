/**
 * Events are handed over one after the other. One that could not be taken is repeated, and counts as not arrived until it
 * was: a session that is resumed brings it once more.
 */
import { type Clock, errorMessage, type Logger } from 'svc/sdk'
import { type GatewayConnection, type InboundMessage, type InboundResult, retryUntilTaken } from 'svc/sdk/platform'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'
import { catchUp, type Missed } from './catch-up.ts'
import {
  concerns,
  type Interaction,
  type Message,
  parseMessage,
  type Reader,
  readInteraction,
  readMessage,
} from './inbound.ts'
import { type GatewayEvent, isNewer, type Progress } from './read-positions.ts'
import type { Threads } from './threads.ts'

export interface IntakeDeps {
  readonly api: DiscordApi
  readonly clock: Clock
  readonly log: Logger
  readonly link: GatewayConnection
  readonly progress: Progress
  readonly reader: Reader
  readonly threads: Threads
  readonly signal: AbortSignal
}

export class Intake {
  readonly #deps: IntakeDeps
  #line: Promise<void> = Promise.resolve()
  /** By channel the newest message that was caught up: what a session brings up to there is known. */
  readonly #caughtUp: Map<string, string> = new Map()

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  /** Also for kinds of events that are of no interest: they count as taken. */
  take(event: GatewayEvent): void {
    const { progress } = this.#deps
    try {
      if (event.type === 'MESSAGE_CREATE') this.#queue(parseMessage(event.data), event.seq)
      else if (event.type === 'INTERACTION_CREATE') this.#interaction(readInteraction(event.data), event.seq)
      else progress.pass(event.seq)
    } catch (error) {
      this.#skip(event.type, error)
      progress.pass(event.seq)
    }
  }

  /** Reads what no session brings, before all events that come from now on. */
  catchUp(): void {
    const { progress } = this.#deps
    this.#enqueue(async () => {
      await catchUp(this.#deps, (missed) => this.#missed(missed))
      progress.caughtUp()
    })
  }

  /** What is in line when the connection ends comes again with the next one. */
  #enqueue(work: () => Promise<void>): void {
    const { log, signal } = this.#deps
    this.#line = this.#line.then(work).catch((error: unknown) => {
      if (!signal.aborted) log.warn(`Events of Discord were not taken: ${errorMessage(error)}`, { error })
    })
  }

  #queue(message: Message, seq: number): void {
    const { progress, reader } = this.#deps
    progress.wait(seq)
    if (concerns(message, reader.me)) progress.know(message.channel_id, message.id)
    this.#enqueue(async () => {
      const until = this.#caughtUp.get(message.channel_id)
      if (until === undefined || isNewer(message.id, until)) await this.#hand(async () => message)
      progress.taken(seq)
      progress.save()
    })
  }

  /** The history says less of a message than an event: not in which guild it is, nor who its writer is there. */
  async #missed({ channelId, guildId, message }: Missed): Promise<void> {
    const { progress, reader } = this.#deps
    try {
      const { author } = parseMessage(message)
      await this.#hand(async () => {
        const member = guildId && (await reader.places.memberIn(guildId, author.id))
        return parseMessage({ ...message, guild_id: guildId, ...(member && { member }) })
      })
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error
      this.#skip('history', error)
    }
    this.#caughtUp.set(channelId, message.id)
    progress.save()
  }

  async #hand(read: () => Promise<Message>): Promise<void> {
    const { progress, reader, threads } = this.#deps
    const message = await retryUntilTaken(async () => {
      const said = await read()
      const inbound = await readMessage(said, reader)
      if (inbound) {
        const { outcome } = await this.#receive(threads.placed(inbound))
        if (outcome === 'refused' || outcome === 'ignored') threads.forget(inbound.messageId)
      }
      if (inbound?.isMention) progress.know(said.channel_id, said.id)
      return said
    }, this.#deps)
    progress.mark(message.channel_id, message.id)
  }

  /** Discord does not wait for those behind the messages in front of them. */
  #interaction(said: Interaction | undefined, seq: number): void {
    const { log, progress, signal } = this.#deps
    if (!said) return void progress.pass(seq)
    progress.wait(seq)
    const taken = this.#receive(said.inbound).then(
      ({ notice }) => this.#acknowledge(said, notice),
      (error: unknown) => {
        // Discord shows the person that the button failed, and the person presses again.
        if (!signal.aborted) log.warn(`A ${said.kind} on Discord was not taken: ${errorMessage(error)}`, { error })
      },
    )
    void taken.then(() => {
      if (signal.aborted) return
      progress.taken(seq)
      progress.save()
    })
  }

  #skip(type: string, error: unknown): void {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : errorMessage(error)
    this.#deps.log.warn(`An event of Discord cannot be understood (${type}): ${reason}`)
  }

  async #receive(inbound: InboundMessage): Promise<InboundResult> {
    if (this.#deps.signal.aborted) throw new Error('closed')
    return this.#deps.link.receive(inbound)
  }

  /**
   * Discord waits three seconds for it (discord.com/developers/docs/interactions/receiving-and-responding, callback types).
   * A command is answered with a note that only its writer sees, which is taken away at once: the answer comes as a
   * message of its own.
   */
  async #acknowledge({ kind, id, token, applicationId }: Interaction, notice?: string): Promise<void> {
    const { api, log, signal } = this.#deps
    const [what, timeoutMs] = ['acknowledge what was pressed', 10_000]
    const path = `/interactions/${id}/${token}/callback`
    const json = kind === 'press' ? pressAnswer(notice) : { type: 5, data: { flags: EPHEMERAL } }
    try {
      await api.tell({ method: 'POST', path, json, what, timeoutMs })
      if (kind === 'press') return
      const note = `/webhooks/${applicationId}/${token}/messages/@original`
      await api.tell({ method: 'DELETE', path: note, what, timeoutMs })
    } catch (error) {
      if (!signal.aborted) log.warn(`Discord was not told that a ${kind} was taken: ${errorMessage(error)}`, { error })
    }
  }
}

/** Only who pressed sees it (discord.com/developers/docs/resources/message, "Message Flags"). */
const EPHEMERAL = 64

/** Nothing changes for a button that did something; else a note says why it did not. */
function pressAnswer(notice: string | undefined): object {
  if (notice === undefined) return { type: 6 }
  return { type: 4, data: { content: notice, flags: EPHEMERAL, allowed_mentions: { parse: [] } } }
}
