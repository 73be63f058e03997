/**
 * A session of Discord's gateway (discord.com/developers/docs/events/gateway): HELLO, IDENTIFY or RESUME, heartbeats, and
 * what its end means. It is opened once; making a new one is the business of svc's gateway.
 */
import { type Clock, errorMessage, type Random, tryParseJson } from 'svc/sdk'
import { openTextSocket, type TextSocket } from 'svc/sdk/kit/net'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { UNAUTHORIZED } from './api.ts'
import type { GatewayEvent, Progress } from './read-positions.ts'

const READY_MS = 20_000
/** GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT (.../events/gateway, "List of Intents"). */
const INTENTS = (1 << 9) | (1 << 12) | (1 << 15)
const INTENTS_ADVICE =
  'Discord does not let the bot read messages. Open https://discord.com/developers/applications, choose the ' +
  'application, and switch on the Message Content Intent on the page Bot.'

/** Opcodes (.../topics/opcodes-and-status-codes). */
const [DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, ACK] = [0, 1, 2, 6, 7, 9, 10, 11]

const frame = z.object({ op: z.number(), d: z.unknown().optional(), s: z.number().nullish(), t: z.string().nullish() })
const hello = z.object({ heartbeat_interval: z.number().positive() })
const readyData = z.object({
  session_id: z.string(),
  resume_gateway_url: z.string().optional(),
  application: z.object({ id: z.string() }).optional(),
})

export interface SessionDeps {
  readonly clock: Clock
  readonly random: Random
  readonly token: string
  readonly url: string
  readonly progress: Progress
  readonly signal: AbortSignal
  /** A new session begins here: it brings nothing that was written before. */
  begun(): void
  event(event: GatewayEvent): void
  alive(): void
  /** Said once, and only after it was ready. */
  lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void
}

/** Why it ended. */
interface Ending {
  readonly reason: string
  readonly code?: 'discord_unauthorized' | 'discord_intents' | 'discord_gateway'
  readonly waitMs?: number
}

/** A session that is ready. */
export interface Session {
  /** Whether events may still come. */
  isOpen(): boolean
}

/** Opens a session or resumes the remembered one. Throws `refused` if a retry is useless, else `busy`. */
export async function openSession(deps: SessionDeps): Promise<Session> {
  const session = new GatewaySession(deps)
  await session.open()
  return session
}

class GatewaySession implements Session {
  readonly #deps: SessionDeps
  #socket: TextSocket | undefined
  #state: 'opening' | 'ready' | 'ended' = 'opening'
  #isAnswered = true
  #cancelBeat: () => void = () => undefined
  #settle: (ending?: Ending) => void = () => undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { clock, signal, url } = this.#deps
    const outcome = new Promise<Ending | undefined>((resolve) => {
      this.#settle = resolve
    })
    const cancel = clock.after(READY_MS, () => this.#end({ reason: 'Discord did not answer in time.' }))
    const ends = {
      message: (text: string) => this.#read(text),
      closed: (reason: string, code: number) => this.#closed(code, reason),
    }
    try {
      const address = `${url.replace(/\/+$/, '')}/?v=10&encoding=json`
      this.#socket = await openTextSocket({ url: address, signal }, ends)
      if (this.#state === 'ended') this.#socket.cut()
    } catch (error) {
      this.#end({ reason: `Discord's gateway cannot be reached: ${errorMessage(error)}.` })
    }
    const ending = await outcome
    cancel()
    if (!ending) return
    if (ending.code === 'discord_unauthorized') throw deliveryRefused('DISCORD_UNAUTHORIZED', ending.reason)
    if (ending.code === 'discord_intents') throw deliveryRefused('DISCORD_INTENTS', ending.reason)
    if (ending.code) throw deliveryRefused('DISCORD_GATEWAY', ending.reason)
    const { waitMs } = ending
    throw deliveryBusy('DISCORD_GATEWAY', ending.reason, waitMs === undefined ? {} : { retryAfterMs: waitMs })
  }

  isOpen(): boolean {
    return this.#state === 'ready'
  }

  #read(text: string): void {
    if (this.#state === 'ended') return
    this.#deps.alive()
    const said = frame.safeParse(tryParseJson(text)?.value).data
    if (!said) return void this.#end({ reason: 'Discord sent something that is no event.' })
    if (said.op === DISPATCH) this.#dispatch(said.t ?? '', said.d, said.s ?? 0)
    else if (said.op === HELLO) this.#hello(said.d)
    else if (said.op === HEARTBEAT) this.#beat()
    else if (said.op === ACK) this.#isAnswered = true
    else if (said.op === RECONNECT) this.#end({ reason: 'Discord asks to connect again.' })
    else if (said.op === INVALID_SESSION) this.#invalid(said.d)
  }

  #hello(data: unknown): void {
    const { token, progress, random } = this.#deps
    const every = hello.safeParse(data).data?.heartbeat_interval
    if (every === undefined) return void this.#end({ reason: 'Discord sent a HELLO without an interval.' })
    this.#beatAfter(every * random.next(), every)
    const { session, resumeAt } = progress
    if (session) return void this.#send(RESUME, { token, session_id: session.id, seq: resumeAt })
    const properties = { os: process.platform, browser: 'svc', device: 'svc' }
    this.#send(IDENTIFY, { token, intents: INTENTS, properties })
  }

  /** The first beat comes after a part of the interval, so that not all bots beat at once. */
  #beatAfter(ms: number, every: number): void {
    this.#cancelBeat()
    this.#cancelBeat = this.#deps.clock.after(
      ms,
      () => {
        if (!this.#isAnswered) return void this.#end({ reason: 'Discord did not answer a heartbeat.' })
        this.#isAnswered = false
        this.#beat()
        this.#beatAfter(every, every)
      },
      { background: true },
    )
  }

  #beat(): void {
    const { progress } = this.#deps
    this.#send(HEARTBEAT, progress.resumeAt || null)
    // Events without a handler advance the sequence number, too.
    if (this.#state === 'ready') progress.save()
  }

  #dispatch(type: string, data: unknown, seq: number): void {
    const { progress } = this.#deps
    if (type === 'READY') return void this.#ready(data, seq)
    if (type === 'RESUMED') {
      progress.pass(seq)
      return void this.#becomeReady()
    }
    if (progress.isFull) return void this.#end({ reason: 'too many messages wait' })
    this.#deps.event({ type, data, seq })
  }

  #ready(data: unknown, seq: number): void {
    const { progress, begun } = this.#deps
    const said = readyData.safeParse(data).data
    if (!said) return void this.#end({ reason: 'Discord sent a READY without a session.' })
    const { session_id: id, resume_gateway_url: url, application } = said
    progress.begin({ id, ...(url && { url }), ...(application && { application: application.id }) }, seq)
    begun()
    this.#becomeReady()
  }

  #becomeReady(): void {
    if (this.#state !== 'opening') return
    this.#state = 'ready'
    this.#settle()
  }

  /** Discord wants one to five seconds of peace before the next IDENTIFY. */
  #invalid(mayResume: unknown): void {
    if (mayResume !== true) this.#deps.progress.forget()
    const waitMs = 1000 + Math.round(4000 * this.#deps.random.next())
    this.#end({ reason: 'Discord ended the session; a new one has to be begun.', waitMs })
  }

  #closed(code: number, reason: string): void {
    // Unknown session, timed out, wrong sequence, identified twice (.../opcodes-and-status-codes, close event codes).
    if ([4003, 4005, 4007, 4009].includes(code)) this.#deps.progress.forget()
    this.#end(toEnding(code, reason))
  }

  #end(ending: Ending): void {
    if (this.#state === 'ended') return
    const wasReady = this.#state === 'ready'
    this.#state = 'ended'
    this.#cancelBeat()
    this.#socket?.cut()
    this.#settle(ending)
    const { code, reason } = ending
    if (wasReady && !this.#deps.signal.aborted) this.#deps.lost(reason, code && { final: true, code })
  }

  #send(op: number, d: unknown): void {
    this.#socket?.send(JSON.stringify({ op, d }))
  }
}

function toEnding(code: number, reason: string): Ending {
  const said = `Discord closed the connection: ${reason || 'no reason given'} (${code}).`
  if (code === 4004) return { reason: UNAUTHORIZED, code: 'discord_unauthorized' }
  if (code === 4013 || code === 4014) return { reason: INTENTS_ADVICE, code: 'discord_intents' }
  // A wrong shard, too many servers for one connection, or an unsupported version: waiting does not help.
  if (code >= 4010 && code <= 4012) return { reason: `${said} svc cannot serve this bot.`, code: 'discord_gateway' }
  return { reason: said }
}
