/** One conversation in the page: its entries, kept up to date by events, and what the user does in it. */
import { batch, computed, signal } from '@preact/signals'
import { notify } from '../client/notices.ts'
import { enqueue, forget, type OutboxMessage, outbox, type Picture, rename, withMessage } from '../client/outbox.ts'
import { Disconnected, type RpcEvent, RpcFailure, rpc } from '../client/rpc.ts'
import { type AnswerOf, call } from '../client/typed.ts'
import { createNotice, createSent, type Entry, fromMessages, type QuestionEntry, sentId } from './entries.ts'
import { applyEvent, EXPIRED, type Turn } from './turn-events.ts'

/** What became of a message that the server took. Until it is recorded a crash may lose it, and it stays in the outbox. */
type TakenMessage = 'recorded' | 'waiting' | 'dropped'

/** Keys that one request asks about. */
const MAX_ASKED = 100

type OpenedSession = AnswerOf<'session.resume'>

export const EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh'] as const
export type Effort = (typeof EFFORTS)[number]

export type WhenBusy = 'interrupt' | 'queue' | 'steer'

export class ChatSession {
  /** The stored session; undefined while nothing was said in a new one. */
  readonly key = signal<string | undefined>(undefined)
  readonly entries = signal<readonly Entry[]>([])
  readonly isBusy = signal(false)
  readonly isOpen = signal(false)
  readonly failure = signal<Error | undefined>(undefined)
  readonly info = signal<Partial<OpenedSession['info']>>({})
  readonly title = signal('')
  /** Settings of this conversation that the user chose here; a new session begins with them. */
  readonly model = signal<{ readonly provider: string; readonly model: string } | undefined>(undefined)
  readonly effort = signal<Effort | undefined>(undefined)
  /** The name of the chat in the outbox and of its draft. */
  readonly name = computed(() => this.key.value ?? 'new')
  readonly waiting = computed(() =>
    outbox.value.filter(({ chat, key }) => chat === this.name.value && !this.#accepted.value.has(key)),
  )
  readonly usage = signal<Readonly<Record<string, unknown>> | undefined>(undefined)
  /** Called when a new chat got its session. */
  onKey: ((key: string) => void) | undefined
  #sessionId: string | undefined
  /** The last event that is shown. */
  #cursor: number | undefined
  /** Keys of messages that this connection's server has and has not recorded yet. */
  readonly #accepted = signal<ReadonlySet<string>>(new Set())
  #turn: Turn = {}
  #opening: Promise<void> | undefined
  #sending = false
  #isAgain = false
  readonly #stops: (() => void)[] = []

  constructor(key?: string) {
    this.key.value = key
    this.#stops.push(rpc.onEvent((event) => this.#receive(event)))
    this.#stops.push(rpc.onOpen(() => void this.#reopen()))
    for (const message of this.waiting.value) this.#show(message)
  }

  /** Leaves the conversation; a turn that is at work goes on. */
  dispose(): void {
    for (const stop of this.#stops) stop()
  }

  /** Says something. It is stored first, and shown at once. */
  submit(text: string, images: readonly Picture[], whenBusy?: WhenBusy): void {
    const message = enqueue({ chat: this.name.value, text, images, ...(whenBusy && { whenBusy }) })
    this.#show(message)
    void this.#flush()
  }

  /** Takes back a message that was not sent. */
  withdraw(key: string): OutboxMessage | undefined {
    const message = this.waiting.value.find((each) => each.key === key)
    forget(key)
    this.#remove(sentId(key))
    return message
  }

  /** Stops the turn. What was to follow it is not said any more. */
  async interrupt(): Promise<void> {
    for (const key of this.#accepted.value) this.#done(key)
    await this.#call('session.interrupt')
  }

  async answer(entry: QuestionEntry, value: string): Promise<void> {
    const { requestId, kind } = entry
    const ask = {
      approval: () => this.#call('approval.respond', { request_id: requestId, choice: value }),
      question: () => this.#call('clarify.respond', { request_id: requestId, answer: value }),
      secret: () => this.#call('secret.respond', { request_id: requestId, value }),
    }
    await ask[kind]()
    entry.answer.value = kind === 'secret' ? '•••' : value
  }

  /** Runs a slash command, once for each key. */
  async command(line: string, key?: string): Promise<void> {
    const result = await this.#call<{ readonly output: string; readonly warning?: string }>('slash.exec', {
      command: line,
      ...(key !== undefined && { key }),
    })
    if (result.output !== '') this.add(createNotice(result.output, result.warning ? 'warning' : 'info'))
  }

  complete(text: string): Promise<{ readonly items: readonly unknown[] }> {
    return this.#call('complete.slash', { text })
  }

  async branch(at?: number): Promise<string> {
    const opened = await this.#call<OpenedSession>('session.branch', at === undefined ? {} : { at })
    return opened.session_key
  }

  async setTitle(title: string): Promise<void> {
    await this.#call('session.title', { title })
    this.title.value = title
  }

  async chooseModel(provider: string, model: string): Promise<void> {
    this.model.value = { provider, model }
    if (this.#sessionId === undefined) return
    await this.#call('config.set', { key: 'provider', value: provider })
    await this.#call('config.set', { key: 'model', value: model })
  }

  async chooseEffort(effort: Effort | undefined): Promise<void> {
    this.effort.value = effort
    if (this.#sessionId !== undefined) await this.#call('config.set', { key: 'reasoning', value: effort ?? null })
  }

  add(entry: Entry): void {
    this.entries.value = [...this.entries.value, entry]
  }

  #remove(id: string): void {
    this.entries.value = this.entries.value.filter((entry) => entry.id !== id)
  }

  async #call<T>(method: string, params: object = {}): Promise<T> {
    await this.#open()
    return rpc.call<T>(method, { session_id: this.#sessionId, ...params })
  }

  #open(): Promise<void> {
    if (this.#sessionId !== undefined) return Promise.resolve()
    this.#opening ??= this.#load().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #load(): Promise<void> {
    const key = this.key.value
    if (key !== undefined && (await this.#resume(key))) return
    await this.#create()
  }

  /** False if the session was gone before its first message was recorded, which then begins another one. */
  async #resume(key: string): Promise<boolean> {
    const keys = this.waiting.value.slice(0, MAX_ASKED).map((message) => message.key)
    const after = this.#cursor
    try {
      const known = { ...(after !== undefined && { after }), ...(keys.length > 0 && { keys }) }
      this.#take(await call('session.resume', { session_id: key, ...known }))
      return true
    } catch (error) {
      if (keys.length === 0 || !(error instanceof RpcFailure) || error.code !== 'SESSION_NOT_FOUND') throw error
      return false
    }
  }

  async #create(): Promise<void> {
    const { model, effort } = { model: this.model.value, effort: this.effort.value }
    const opened = await call('session.create', {
      ...model,
      ...(effort && { reasoning_effort: effort }),
    })
    batch(() => {
      rename(this.name.value, opened.session_key)
      this.key.value = opened.session_key
      this.#connect(opened)
      this.#cursor = opened.cursor
    })
    this.onKey?.(opened.session_key)
  }

  #take(opened: OpenedSession): void {
    batch(() => {
      this.#connect(opened)
      this.#settle(opened)
      if (opened.resumed) return
      this.#cursor = opened.cursor
      this.#turn = {}
      const failed = opened.failure
      this.entries.value = [
        ...fromMessages(opened.messages),
        ...(failed ? [createNotice(failed.message, 'error', failed.code)] : []),
      ]
      for (const message of outbox.value) if (message.chat === this.name.value) this.#show(message)
    })
  }

  /** What became of messages and questions meanwhile. */
  #settle({ taken = {}, questions }: OpenedSession): void {
    for (const [key, state] of Object.entries(taken))
      if (state === 'waiting') this.#accept(key)
      else this.#done(key)
    for (const entry of this.entries.value)
      if ('requestId' in entry && entry.answer.value === undefined && !questions.includes(entry.requestId))
        entry.answer.value = EXPIRED
  }

  #connect(opened: OpenedSession): void {
    this.#sessionId = opened.session_id
    this.info.value = opened.info
    this.isBusy.value = opened.running
    this.isOpen.value = true
    this.failure.value = undefined
  }

  /** After each connect. The server tells what came after the last event that is shown. */
  async #reopen(): Promise<void> {
    this.#sessionId = undefined
    this.isOpen.value = false
    this.#accepted.value = new Set()
    try {
      if (this.key.value !== undefined) await this.#open()
      await this.#flush()
    } catch (error) {
      if (!(error instanceof Disconnected)) this.failure.value = error as Error
    }
  }

  #show(message: OutboxMessage): void {
    const { key, text, images } = message
    this.#remove(sentId(key))
    this.add(createSent(key, text, images, this.#accepted.value.has(key) ? 'sent' : 'waiting'))
  }

  /** The server has a message, and may lose it until it is recorded. */
  #accept(key: string): void {
    this.#accepted.value = new Set([...this.#accepted.value, key])
    this.#setState(key, 'sent')
  }

  /** A message is recorded, or is not to be said any more. */
  #done(key: string): void {
    forget(key)
    const { value } = this.#accepted
    if (value.has(key)) this.#accepted.value = new Set([...value].filter((each) => each !== key))
    this.#setState(key, 'sent')
  }

  #setState(key: string, state: 'sent' | 'failed'): void {
    const entry = this.entries.value.findLast(({ id }) => id === sentId(key))
    if (entry?.kind === 'user') entry.state.value = state
  }

  /** Sends what waits, in order. A message leaves the outbox when it is recorded. */
  async #flush(): Promise<void> {
    this.#isAgain = this.#sending
    if (this.#sending) return
    this.#sending = true
    try {
      do {
        this.#isAgain = false
        for (let [message] = this.waiting.value; message; [message] = this.waiting.value) {
          const next = message
          if ((await withMessage(next, () => this.#deliver(next))) === 'stop') break
        }
      } while (this.#isAgain)
    } finally {
      this.#sending = false
    }
  }

  async #deliver(message: OutboxMessage): Promise<'next' | 'stop'> {
    const { key, text, images, whenBusy } = message
    try {
      if (text.startsWith('/') && images.length === 0) {
        await this.command(text, key)
        this.#done(key)
        return 'next'
      }
      const { state } = await this.#call<{ readonly state?: TakenMessage }>('prompt.submit', {
        ...{ text, key },
        ...(images.length > 0 && { images }),
        ...(whenBusy && { when_busy: whenBusy }),
      })
      if (state === 'recorded' || state === 'dropped') this.#done(key)
      // The event that records it may have come before this answer.
      else if (outbox.value.some((each) => each.key === key)) this.#accept(key)
      return 'next'
    } catch (error) {
      if (error instanceof Disconnected) return 'stop'
      if (error instanceof RpcFailure) forget(key)
      this.#setState(key, 'failed')
      notify((error as Error).message, 'error')
      return error instanceof RpcFailure ? 'next' : 'stop'
    }
  }

  #receive(event: RpcEvent): void {
    if (this.#sessionId === undefined || event.session_id !== this.#sessionId) return
    const { seq } = event.payload
    if (typeof seq === 'number') {
      if (seq <= (this.#cursor ?? 0)) return
      this.#cursor = seq
    }
    batch(() => this.#apply(event))
  }

  #apply(event: RpcEvent): void {
    const { type, payload } = event
    if (type === 'message.start') this.isBusy.value = true
    if (type === 'message.complete') {
      this.isBusy.value = false
      this.usage.value = payload['usage'] as Readonly<Record<string, unknown>>
    }
    const session = this
    const transcript = {
      turn: this.#turn,
      get entries() {
        return session.entries.value
      },
      add: (entry: Entry) => this.add(entry),
      remove: (id: string) => this.#remove(id),
    }
    applyEvent(transcript, event)
    for (const key of [payload['key'], ...(Array.isArray(payload['keys']) ? payload['keys'] : [])])
      if (typeof key === 'string') this.#done(key)
    // What was added to the turn and came too late for it is said now.
    if (type === 'message.complete' && this.#accepted.value.size > 0) {
      this.#accepted.value = new Set()
      void this.#flush()
    }
    if (type === 'session.changed' && payload['what'] === 'session') void this.#readTitle()
  }

  async #readTitle(): Promise<void> {
    const { title } = await this.#call<{ readonly title: string | null }>('session.title')
    this.title.value = title ?? ''
  }
}
