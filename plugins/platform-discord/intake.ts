/**
 * Events are handed over one after the other. One that could not be taken is tried again, and counts as not arrived until
 * it was: a session that is resumed brings it once more.
 */
import { type Clock, errorMessage, type Inbound, type Logger, type PlatformLink } from 'svc/sdk'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'
import { type Interaction, type Reader, readInteraction, readMessage } from './inbound.ts'
import type { GatewayEvent, Memory } from './memory.ts'

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000

/** What it works with. */
export interface IntakeHost {
  readonly api: DiscordApi
  readonly clock: Clock
  readonly log: Logger
  readonly link: PlatformLink
  readonly memory: Memory
  readonly reader: Reader
  readonly signal: AbortSignal
}

export class Intake {
  readonly #host: IntakeHost
  #line: Promise<void> = Promise.resolve()
  /** What calls off the tries that wait. */
  readonly #waiting: Set<() => void> = new Set()

  constructor(host: IntakeHost) {
    this.#host = host
    host.signal.addEventListener('abort', () => this.#callOff(), { once: true })
  }

  /** Also for kinds of events that are of no interest: they count as taken. */
  take(event: GatewayEvent): void {
    const { memory } = this.#host
    if (event.type !== 'MESSAGE_CREATE' && event.type !== 'INTERACTION_CREATE') return void memory.pass(event.seq)
    memory.begin(event)
    // Discord does not wait for those behind the messages in front of them.
    if (event.type === 'INTERACTION_CREATE') void this.#handle(event, FIRST_WAIT_MS)
    else this.#enqueue(event, FIRST_WAIT_MS)
  }

  #enqueue(event: GatewayEvent, waitMs: number): void {
    this.#line = this.#line.then(() => this.#handle(event, waitMs))
  }

  #callOff(): void {
    for (const cancel of this.#waiting) cancel()
    this.#waiting.clear()
  }

  #again(event: GatewayEvent, waitMs: number): void {
    const cancel = this.#host.clock.after(
      waitMs,
      () => {
        this.#waiting.delete(cancel)
        this.#enqueue(event, Math.min(waitMs * 2, LONGEST_WAIT_MS))
      },
      { background: true },
    )
    this.#waiting.add(cancel)
  }

  async #handle(event: GatewayEvent, waitMs: number): Promise<void> {
    const { log, memory, signal } = this.#host
    if (signal.aborted) return
    try {
      await (event.type === 'MESSAGE_CREATE' ? this.#message(event.data) : this.#interaction(event.data))
      memory.taken(event)
    } catch (error) {
      if (signal.aborted) return
      const isHopeless = error instanceof z.ZodError
      const reason = isHopeless ? z.prettifyError(error).slice(0, 300) : errorMessage(error)
      log.warn(`An event of Discord was not taken (${event.type}): ${reason}`)
      // Who pressed a button is told by Discord that it failed, and presses again.
      if (isHopeless || event.type === 'INTERACTION_CREATE') return void memory.taken(event)
      this.#again(event, waitMs)
    }
  }

  async #message(data: unknown): Promise<void> {
    const inbound = await readMessage(data, this.#host.reader)
    if (inbound) await this.#receive(inbound)
  }

  async #interaction(data: unknown): Promise<void> {
    const said = readInteraction(data)
    if (!said) return
    await this.#receive(said.inbound)
    await this.#acknowledge(said).catch((error: unknown) => {
      this.#host.log.warn(`Discord was not told that a ${said.kind} was taken: ${errorMessage(error)}`)
    })
  }

  async #receive(inbound: Inbound): Promise<void> {
    if (this.#host.signal.aborted) throw new Error('closed')
    await this.#host.link.receive(inbound)
  }

  /**
   * Discord waits three seconds for it (discord.com/developers/docs/interactions/receiving-and-responding, callback types).
   * A command is answered with a note that only its writer sees, which is taken away at once: the answer comes as a
   * message of its own.
   */
  async #acknowledge({ kind, id, token, applicationId }: Interaction): Promise<void> {
    const [what, timeoutMs] = ['acknowledge what was pressed', 10_000]
    const path = `/interactions/${id}/${token}/callback`
    const json = kind === 'press' ? { type: 6 } : { type: 5, data: { flags: 64 } }
    await this.#host.api.tell({ method: 'POST', path, json, what, timeoutMs })
    if (kind === 'press') return
    const note = `/webhooks/${applicationId}/${token}/messages/@original`
    await this.#host.api.tell({ method: 'DELETE', path: note, what, timeoutMs })
  }
}
