/** Brings what waits to one platform: chats side by side, the messages of one chat one after the other. */
import { type Clock, type Dispose, errorCode, errorMessage, type Logger, type Random, SvcError } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'
import type { Delivery, Platform } from 'svc/sdk/platform'
import { attempt, type Outcome } from './delivery-attempt.ts'
import { Pacer } from './pacer.ts'
import {
  FIRST_FILE,
  type KeptMessage,
  type OutboxStore,
  type PartChange,
  type PartOfMessage,
  parseFileNumbers,
  parseFiles,
} from './store.ts'

export interface CourierDeps {
  readonly log: Logger
  readonly store: OutboxStore
  readonly clock: Clock
  readonly random: Random
  /** Names this process: what another one was sending when it died is in doubt. */
  readonly epoch: string
  /** Another machine may continue what this one was sending. */
  readonly isShared: boolean
  /** What leaves in place of the text of a message; undefined when that was stored, or the message was refused. */
  prepare(message: KeptMessage): Promise<string | undefined>
  note(part: PartOfMessage, stage: string, text: string, also?: readonly string[]): void
  settled(part: PartOfMessage): void
  /** What a chat of this platform reads in place of a file. */
  inWords(name: string, reason: string): string
  /** A pending operation is over: the present courier of the platform looks again. */
  wake(): void
}

/** The maximum of chats that are served at once, and of chats that are checked for that. */
const MAX_LANES = 16
const MAX_HEADS = 1000
/** Messages whose last edit is remembered. */
const MAX_EDITED = 500
/** From 0.75 to 1.25 s at first, doubled up to about five minutes. */
const RETRY = { firstMs: 750, maxMs: 225_000, jitter: 2 / 3 }
const LONGEST_WAIT_MS = 300_000
const GIVE_UP_MS = 86_400_000
const EDIT_EVERY_MS = 800

export class DeliveryQueue {
  readonly platform: Platform
  readonly #deps: CourierDeps
  readonly #pacer: Pacer
  /** Lanes with a part under way. */
  readonly #lanes: Map<string, Promise<void>> = new Map()
  /** When a message of the platform was last edited. */
  readonly #edited: Map<string, number> = new Map()
  /** Texts that leave as they were posted, by the number of the message; written down with the first attempt. */
  readonly #unchanged: Map<number, string> = new Map()
  #isServing = true
  #wakeUp: Dispose | undefined
  #quiet: (() => void)[] = []

  constructor(platform: Platform, deps: CourierDeps) {
    this.platform = platform
    this.#deps = deps
    this.#pacer = new Pacer(platform.limits)
    this.#recover()
    this.look()
  }

  /** Starts nothing more; deliveries in progress finish. */
  stop(): void {
    this.#isServing = false
    this.#wakeUp?.()
    this.#hush()
  }

  /** Begins whatever can be sent now, and comes back when something else can. */
  look(): void {
    if (!this.#isServing) return
    this.#wakeUp?.()
    this.#wakeUp = undefined
    const { clock } = this.#deps
    const now = clock.now()
    let soonest = Number.POSITIVE_INFINITY
    for (const part of this.#heads()) {
      const wait = this.#wait(part, now)
      if (wait > 0) soonest = Math.min(soonest, wait)
      else if (this.#lanes.size < MAX_LANES)
        this.#occupy(getLane(part), this.#isPrepared(part) ? this.#carry(part) : this.#prepare(part))
    }
    if (Number.isFinite(soonest)) {
      const due = Math.min(soonest, LONGEST_WAIT_MS)
      this.#wakeUp = clock.after(due, () => this.look(), { background: true })
    }
    this.#hush()
  }

  /** Resolves when nothing is under way or due. */
  async idle(): Promise<void> {
    while (this.#isServing && !this.#isQuiet()) await new Promise<void>((resolve) => this.#quiet.push(resolve))
    await Promise.all(this.#lanes.values())
  }

  #isQuiet(): boolean {
    return this.#lanes.size === 0 && this.#heads().length === 0
  }

  #hush(): void {
    if (this.#isServing && !this.#isQuiet()) return
    for (const resolve of this.#quiet.splice(0)) resolve()
  }

  /** The first open part of every lane that has nothing under way, also not from a connection before this one. */
  #heads(): readonly PartOfMessage[] {
    const heads = this.#deps.store.heads(this.platform.name, MAX_HEADS)
    return heads.filter((part) => part.state === 'pending' && !this.#lanes.has(getLane(part)))
  }

  /** Milliseconds until the part may be sent. */
  #wait(part: PartOfMessage, now: number): number {
    const isDraftEdit = part.receipt !== null && part.of.draft === 1
    const edited = isDraftEdit ? (this.#edited.get(part.receipt as string) ?? 0) : 0
    const edits = edited + (this.platform.limits.editEveryMs ?? EDIT_EVERY_MS) - now
    return Math.max(part.nextAt - now, isDraftEdit ? edits : 0, this.#pacer.wait(part.of.chat, now))
  }

  /** Writes down that the attempt is under way; the part as it is tried. */
  #begin(part: PartOfMessage): PartOfMessage {
    const { store, epoch, clock } = this.#deps
    const now = clock.now()
    // Services count the files of an album one by one.
    for (let message = 0; message < Math.max(1, parseFileNumbers(part).length); message++)
      this.#pacer.take(part.of.chat, now)
    const attempts = part.attempts + 1
    const tried = part.doubt ? part.tried : part.text
    // A later commit would not be known elsewhere in time.
    const committed = this.platform.limits.commits && !this.#deps.isShared ? 0 : 1
    store.step(() => {
      store.change(part, { state: 'attempting', epoch, attempts, tried, committed })
      if (part.of.leaving === null) store.setLeaving(part.message, part.of.text)
    })
    this.#unchanged.delete(part.message)
    return { ...part, attempts, tried }
  }

  #isPrepared({ message, of }: PartOfMessage): boolean {
    return of.leaving !== null || of.text === '' || this.#unchanged.get(message) === of.text
  }

  async #prepare({ message, part, of }: PartOfMessage): Promise<void> {
    const leaving = await this.#deps.prepare(of)
    if (leaving !== undefined) this.#unchanged.set(message, leaving)
    // It leaves before what was posted meanwhile.
    const prepared = this.#isServing ? this.#deps.store.part(message, part) : undefined
    if (prepared?.state !== 'pending' || !this.#isPrepared(prepared)) return
    if (this.#wait(prepared, this.#deps.clock.now()) <= 0) await this.#carry(prepared)
  }

  #occupy(lane: string, given: Promise<void>): void {
    const guarded = given.catch((error: unknown) => {
      // The plugin was unloaded meanwhile. On disk an attempt is under way, so the next courier knows it as cut off.
      if (errorCode(error) !== 'STORAGE_CLOSED') throw error
      this.#isServing = false
    })
    const work = guarded.finally(() => {
      this.#lanes.delete(lane)
      this.#deps.wake()
      this.#hush()
    })
    this.#lanes.set(lane, work)
  }

  async #carry(waiting: PartOfMessage): Promise<void> {
    const { clock, log, store, epoch } = this.#deps
    const part = this.#begin(waiting)
    const commit = () => {
      if (!store.commit(part, epoch)) throw taken()
    }
    const writeNote = (note: string) => {
      if (!store.writeNote(part, epoch, note)) throw taken()
    }
    const outcome =
      (await this.#unknown(part)) ?? (await attempt(this.platform, part, { clock, log, commit, writeNote }))
    this.#edited.set(part.receipt ?? '', clock.now())
    if (this.#edited.size > MAX_EDITED) this.#edited.clear()
    // Another gateway continues it by now.
    if (this.#deps.isShared && !store.isUnderWay(part, epoch)) return
    this.#settle(part, outcome)
  }

  /** Why the attempt is not made: if this process died now, no other would know of it. */
  async #unknown(part: PartOfMessage): Promise<Outcome | undefined> {
    if (!this.#deps.isShared) return undefined
    try {
      await this.#deps.store.synced(part.of.platform)
      return undefined
    } catch (error) {
      this.#deps.log.warn('a message waits, since other gateways cannot be told of it', { error })
      return { kind: 'busy', error: errorMessage(error) }
    }
  }

  /** Writes down what is known now. Meanwhile the text may have been changed. */
  #settle(part: PartOfMessage, outcome: Outcome): void {
    const { store, note } = this.#deps
    const after = store.step(() => {
      const current = store.part(part.message, part.part)
      if (!current) return undefined
      const change = this.#change(part, current, outcome)
      store.change(part, { epoch: null, ...change })
      return store.part(part.message, part.part)
    })
    if (!after) return
    const ids = after.receipt === null ? [] : [after.receipt, `${part.of.platform}:${after.receipt}`]
    note(after, describeStage(after, part), describeOutcome(after, outcome), ids)
    if (after.state !== 'pending') this.#deps.settled(after)
  }

  #change(part: PartOfMessage, current: PartOfMessage, outcome: Outcome): PartChange {
    if (outcome.kind === 'delivered') {
      const sent = this.#shown(part)
      const state = current.text === sent ? 'delivered' : 'pending'
      const { messageId: receipt, at: deliveredAt = this.#deps.clock.now() } = outcome.receipt
      const firstDeliveredAt = current.firstDeliveredAt ?? deliveredAt
      return { state, sent, receipt, deliveredAt, firstDeliveredAt, ...SETTLED }
    }
    const { clock } = this.#deps
    const { error } = outcome
    const isEdit = part.receipt !== null
    if (outcome.kind === 'refused' && outcome.isThreadGone && !isEdit && part.of.thread !== null) {
      this.#deps.store.leaveThread(part.message)
      return { state: 'pending', nextAt: 0, error }
    }
    if (outcome.kind === 'refused' && isEdit) return resendAsNew(part, error)
    if (outcome.kind === 'refused') return this.#withoutFiles(part, error) ?? { state: 'failed', error }
    if (outcome.kind === 'unsure' && !isEdit && this.platform.limits.idempotency === 'none')
      return { state: 'uncertain', doubt: 1, error }
    if (clock.now() - part.of.at > GIVE_UP_MS) return { state: 'failed', error: `given up after a day: ${error}` }
    const doubt = outcome.kind === 'unsure' || part.doubt ? 1 : 0
    return { state: 'pending', doubt, error, nextAt: clock.now() + this.#pause(part.attempts, outcome.retryAfterMs) }
  }

  /**
   * An album is tried file by file; a single file is replaced by a text. Undefined if there is no file, or in doubt.
   */
  #withoutFiles(part: PartOfMessage, error: string): PartChange | undefined {
    const [file, ...others] = parseFileNumbers(part)
    if (file === undefined || part.doubt) return undefined
    const again = {
      state: 'pending',
      generation: part.generation + 1,
      attempts: 0,
      nextAt: 0,
      note: null,
      error,
    } as const
    const { store, clock, inWords } = this.#deps
    if (others.length === 0) {
      const { name = '' } = parseFiles(part.of)[file] ?? {}
      const words = inWords(name, `${this.platform.label} did not take it`)
      return { ...again, file: null, text: part.text ? `${part.text}\n\n${words}` : words }
    }
    const { message } = part
    for (const number of others) {
      const single = { message, part: FIRST_FILE + number, text: '', file: number, album: null, at: clock.now() }
      store.addPart(single, this.platform.name)
    }
    return { ...again, album: null }
  }

  /** A send that was repeated may have found the first one, which said what there was to say then. */
  #shown({ doubt, receipt, tried, text }: PartOfMessage): string {
    const isRepeated = doubt === 1 && receipt === null && tried !== null
    return isRepeated && this.platform.edit ? tried : text
  }

  #pause(attempts: number, wanted = 0): number {
    return Math.max(wanted, backoff(RETRY, attempts, this.#deps.random.next()))
  }

  /** What a process that died was sending: an edit is made again, a send as the platform allows. */
  #recover(): void {
    const { store, epoch } = this.#deps
    for (const part of store.cutOff(this.platform.name, epoch)) {
      const isSent = part.committed === 1
      const error = `svc stopped ${isSent ? 'while it was being' : 'before it was'} sent`
      this.#settle(part, { kind: isSent ? 'unsure' : 'busy', error })
    }
  }
}

function taken(): SvcError {
  return new SvcError('OUTBOX_TAKEN', 'Another process of svc sends this message now.')
}

/** What is forgotten of the attempts of a part that was delivered. */
const SETTLED = { doubt: 0, attempts: 0, nextAt: 0, note: null, error: null } as const

/** An edit was refused: the text is sent as a new message, once. */
function resendAsNew(part: PartOfMessage, error: string): PartChange {
  if (part.of.draft === 1) return { state: 'delivered', error }
  const next = { receipt: null, sent: null, doubt: 0, attempts: 0, nextAt: 0, error }
  return part.generation > 0 ? { state: 'failed', error } : { state: 'pending', generation: 1, ...next }
}

function getLane({ of }: PartOfMessage): string {
  return `${of.chat}\n${of.thread ?? ''}`
}

function describeStage(after: PartOfMessage, before: PartOfMessage): string {
  if (after.state === 'pending') return after.sent === null || after.error !== null ? 'retry' : 'edit'
  return after.state === 'delivered' && before.receipt !== null ? 'edited' : after.state
}

function describeOutcome({ part, receipt, error, nextAt, state }: PartOfMessage, outcome: Outcome): string {
  const what = `part ${part + 1}`
  if (outcome.kind === 'delivered') return `${what}: the platform has it as ${receipt}`
  if (state === 'pending') return `${what}: ${error}; tried again at ${new Date(nextAt).toISOString()}`
  if (state === 'uncertain') return `${what}: ${error}; it may have arrived, and is not sent again unasked`
  return `${what}: ${error}`
}

/** What others see of a part. */
export function toDelivery({ of, ...part }: PartOfMessage): Delivery {
  return {
    id: `${part.message}.${part.part}`,
    key: of.key,
    part: part.part,
    platform: of.platform,
    chatId: of.chat,
    ...(of.thread !== null && { threadId: of.thread }),
    state: part.state,
    ...(part.receipt !== null && { messageId: part.receipt }),
    ...(part.state === 'delivered' && part.deliveredAt !== null && { deliveredAt: part.deliveredAt }),
    ...(part.firstDeliveredAt !== null && { firstDeliveredAt: part.firstDeliveredAt }),
    attempts: part.attempts,
    ...(part.error !== null && { error: part.error }),
    ...(of.trace !== null && { trace: of.trace }),
    preview: formatPreview({ ...part, of }),
    at: part.at,
  }
}

function formatPreview(part: PartOfMessage): string {
  const files = parseFiles(part.of)
  const names = parseFileNumbers(part).map((number) => `📎 ${files[number]?.name ?? 'a file'}`)
  const words = part.text.replace(/\s+/g, ' ')
  return [...[...names, words].join(' ').trim()].slice(0, 80).join('')
}
