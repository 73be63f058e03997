/** One conversation in the page: its entries, kept up to date by events, and what the user does in it. */
import { batch, computed, signal } from '@preact/signals'
import { notify } from '../client/notices.ts'
import { enqueue, forget, nextMessage, type OutboxMessage, outbox, type Picture, rename } from '../client/outbox.ts'
import { Disconnected, type RpcEvent, RpcFailure, rpc } from '../client/rpc.ts'
import {
  createNotice,
  createUser,
  type Entry,
  fromMessages,
  type QuestionEntry,
  type StoredMessage,
} from './entries.ts'
import { applyEvent, type Turn } from './turn-events.ts'

interface OpenedSession {
  readonly session_id: string
  readonly session_key: string
  readonly messages: readonly StoredMessage[]
  readonly running: boolean
  readonly title?: string | null
  readonly info: { readonly cwd?: string; readonly model?: string; readonly provider?: string }
}

export type WhenBusy = 'interrupt' | 'queue' | 'steer'

export class ChatSession {
  /** The stored session; undefined while nothing was said in a new one. */
  readonly key = signal<string | undefined>(undefined)
  readonly entries = signal<readonly Entry[]>([])
  readonly isBusy = signal(false)
  readonly isOpen = signal(false)
  readonly failure = signal<Error | undefined>(undefined)
  readonly info = signal<OpenedSession['info']>({})
  readonly title = signal('')
  /** Settings of this conversation that the user chose here; a new session begins with them. */
  readonly model = signal<{ readonly provider: string; readonly model: string } | undefined>(undefined)
  readonly effort = signal<string | undefined>(undefined)
  /** The name of the chat in the outbox and of its draft. */
  readonly name = computed(() => this.key.value ?? 'new')
  readonly waiting = computed(() => outbox.value.filter(({ chat }) => chat === this.name.value))
  readonly usage = signal<Readonly<Record<string, unknown>> | undefined>(undefined)
  /** Called when a new chat got its session. */
  onKey: ((key: string) => void) | undefined
  #sessionId: string | undefined
  #turn: Turn = {}
  #opening: Promise<void> | undefined
  #sending = false
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
    this.entries.value = this.entries.value.filter(({ id }) => id !== `out-${key}`)
    return message
  }

  async interrupt(): Promise<void> {
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

  async command(line: string): Promise<void> {
    const result = await this.#call<{ readonly output: string; readonly warning?: string }>('slash.exec', {
      command: line,
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

  async chooseEffort(effort: string | undefined): Promise<void> {
    this.effort.value = effort
    if (this.#sessionId !== undefined) await this.#call('config.set', { key: 'reasoning', value: effort ?? null })
  }

  add(entry: Entry): void {
    this.entries.value = [...this.entries.value, entry]
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
    if (key !== undefined) {
      this.#take(await rpc.call<OpenedSession>('session.resume', { session_id: key }))
      return
    }
    const { model, effort } = { model: this.model.value, effort: this.effort.value }
    const opened = await rpc.call<OpenedSession>('session.create', {
      ...model,
      ...(effort && { reasoning_effort: effort }),
    })
    batch(() => {
      rename(this.name.value, opened.session_key)
      this.key.value = opened.session_key
      this.#take(opened, true)
    })
    this.onKey?.(opened.session_key)
  }

  #take(opened: OpenedSession, isNew = false): void {
    batch(() => {
      this.#sessionId = opened.session_id
      this.info.value = opened.info
      if (opened.title) this.title.value = opened.title
      this.isBusy.value = opened.running
      this.isOpen.value = true
      this.failure.value = undefined
      if (isNew) return
      this.#turn = {}
      this.entries.value = fromMessages(opened.messages)
      for (const message of this.waiting.value) this.#show(message)
    })
  }

  /** After each connect. What was missed is in the messages of the session. */
  async #reopen(): Promise<void> {
    this.#sessionId = undefined
    this.isOpen.value = false
    try {
      if (this.key.value !== undefined) await this.#open()
      await this.#flush()
    } catch (error) {
      if (!(error instanceof Disconnected)) this.failure.value = error as Error
    }
  }

  #show(message: OutboxMessage): void {
    const entry = { ...createUser(message.text, message.images, 'waiting'), id: `out-${message.key}` }
    this.entries.value = [...this.entries.value.filter(({ id }) => id !== entry.id), entry]
  }

  /** Sends what waits, in order. A message leaves the outbox when the server has it. */
  async #flush(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    try {
      for (let message = nextMessage(this.name.value); message; message = nextMessage(this.name.value)) {
        if (!(await this.#deliver(message))) break
      }
    } finally {
      this.#sending = false
    }
  }

  async #deliver(message: OutboxMessage): Promise<boolean> {
    const { key, text, images, whenBusy } = message
    const entry = this.entries.value.find(({ id }) => id === `out-${key}`)
    const setState = (state: 'sent' | 'failed') => {
      if (entry?.kind === 'user') entry.state.value = state
    }
    try {
      if (text.startsWith('/') && images.length === 0) {
        forget(key)
        setState('sent')
        await this.command(text)
        return true
      }
      await this.#call('prompt.submit', {
        ...{ text, key },
        ...(images.length > 0 && { images }),
        ...(whenBusy && { when_busy: whenBusy }),
      })
      forget(key)
      setState('sent')
      return true
    } catch (error) {
      if (error instanceof Disconnected) return false
      if (error instanceof RpcFailure) forget(key)
      setState('failed')
      notify((error as Error).message, 'error')
      return error instanceof RpcFailure
    }
  }

  #receive(event: RpcEvent): void {
    if (this.#sessionId === undefined || event.session_id !== this.#sessionId) return
    batch(() => this.#apply(event))
  }

  #apply(event: RpcEvent): void {
    const { type, payload } = event
    if (type === 'message.start') this.isBusy.value = true
    if (type === 'message.complete') {
      this.isBusy.value = false
      this.usage.value = payload['usage'] as Readonly<Record<string, unknown>>
    }
    applyEvent({ turn: this.#turn, entries: this.entries.value, add: (entry) => this.add(entry) }, event)
    if (type === 'session.changed' && payload['what'] === 'session') void this.#readTitle()
  }

  async #readTitle(): Promise<void> {
    const { title } = await this.#call<{ readonly title: string | null }>('session.title')
    this.title.value = title ?? ''
  }
}
