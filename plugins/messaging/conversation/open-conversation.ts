/** One open conversation: its model, its queue, and its running turn. */
import {
  Agent,
  type CommandContext,
  type Completion,
  type Conversation,
  type ConversationSettings,
  createTranslator,
  type Dispose,
  errorMessage,
  logFault,
  type Person,
  type PluginContext,
  type QueuedMessage,
  type SendOptions,
  type Session,
  Sessions,
  type TurnEvent,
} from 'svc/sdk'
import { People, type PersonSource, unreachablePerson } from 'svc/sdk/host'
import type { MessageOrigin } from 'svc/sdk/platform'
import { Providers } from 'svc/sdk/provider'
import { type ConversationNotice, checkConversationChange, type FrontEndHandlers } from 'svc/sdk/sessions'
import { Display } from 'svc/sdk/terminal'
import { announceClosed, announceModel, announceOpened } from './announcements.ts'
import { completions } from './completion.ts'
import { dispatch, readShellLine } from './dispatch-command.ts'
import { MadeSessions, type Origin } from './made-sessions.ts'
import { ElsewhereWatch } from './other-processes.ts'
import { connectPerson } from './reachable-person.ts'
import { closeRequest } from './stopped-request.ts'
import type { WaitingStore } from './store.ts'
import { Choices, type GivenSettings } from './turn-settings.ts'

/** Starts a turn. */
type Begin = (signal: AbortSignal) => AsyncIterable<TurnEvent>

/** What waits: a message, or something that has no text. */
interface Waiting extends QueuedMessage {
  readonly begin?: Begin
  /** It is placed before those that only wait, and after others of its kind. */
  readonly isNext?: true
}

/** The turn under way, and whether a person said that it is not to be done at all. */
interface Underway {
  readonly control: AbortController
  readonly sessionId: string
  isStopped?: true
}

/** Contract: `Conversation` of the SDK. */
export class OpenConversation implements Conversation {
  readonly front: FrontEndHandlers
  readonly #ctx: PluginContext<undefined>
  readonly #ended: () => void
  readonly #store: WaitingStore
  readonly #closing = new AbortController()
  readonly #connections: Dispose[]
  /** Where a person sits in front of it. */
  readonly #elsewhere: ElsewhereWatch | undefined
  readonly #made: MadeSessions
  readonly #choices: Choices
  #session: Session
  /** Settles when followers of conversations know of the session that is shown. */
  #opening: Promise<void>
  #waiting: Waiting[] = []
  #turn: Underway | undefined
  /** The message that is being taken. */
  #taken: Waiting | undefined
  #pumping: Promise<void> | undefined
  #count = 0

  constructor(
    ctx: PluginContext<undefined>,
    front: FrontEndHandlers,
    given: GivenSettings & {
      readonly session: Session
      readonly own: Origin
      readonly store: WaitingStore
      readonly ended: () => void
    },
  ) {
    this.#ctx = ctx
    this.front = front
    this.#session = given.session
    this.#choices = new Choices(given.session, given)
    this.#made = new MadeSessions(ctx)
    this.#made.add(given.session.id, given.own)
    this.#ended = given.ended
    this.#store = given.store
    this.#connections = connectPerson(ctx, front, (sessionId) => sessionId === this.sessionId)
    this.#opening = announceOpened(ctx, this)
    this.#elsewhere = front.waits && new ElsewhereWatch(ctx, this, () => front.changed('messages'))
  }

  get sessionId(): string {
    return this.#session.id
  }

  get cwd(): string {
    return this.#session.cwd
  }

  get settings(): ConversationSettings {
    return this.#choices.all
  }

  get busy(): boolean {
    return this.#turn !== undefined
  }

  get queue(): readonly QueuedMessage[] {
    return this.#waiting.filter(({ begin }) => !begin)
  }

  get open(): boolean {
    return !this.#closing.signal.aborted
  }

  async type(text: string, { by, command, ...options }: SendOptions = {}): Promise<void> {
    await this.#opening
    const line = (this.front.commands === 'cli' && readShellLine(text)) || text
    if (await dispatch(this.#ctx, this, line, { by, command })) return
    this.send(text, { source: 'person', ...options, ...(by && { by }) })
  }

  send(text: string, { images, whenBusy, key, by, source = 'plugin' }: Omit<SendOptions, 'command'> = {}): void {
    if (!this.open || (key !== undefined && this.#has(key))) return
    const mode = whenBusy ?? this.#ctx.find(Display)?.settings(this.front.surface).busy_input_mode ?? 'steer'
    const { busy } = this
    if (
      busy &&
      mode === 'steer' &&
      !images?.length &&
      this.#agent.steer(this.sessionId, text, {
        source,
        ...(by && { sender: by }),
        ...(key !== undefined && { key }),
      })
    )
      return
    const interrupts = busy && mode === 'interrupt'
    this.#wait(
      { text, source, ...(images?.length && { images }), ...(key !== undefined && { key }), ...(by && { by }) },
      interrupts ? 'next' : 'last',
    )
    if (interrupts) this.#abort()
  }

  /** A message with this key waits or is being taken. */
  #has(key: string): boolean {
    return this.#taken?.key === key || this.#waiting.some((waiting) => waiting.key === key)
  }

  goOn(): void {
    this.#wait({ text: '', begin: (signal) => this.#agent.run({ ...this.#request(), signal }) }, 'first')
  }

  /** Resumes what a crash interrupted: the turn, and the messages that waited. */
  resume(): void {
    const { sessionId } = this
    const left = this.#keeps ? this.#store.takeLeft(sessionId).filter((message) => !this.#hasBegun(message)) : []
    this.#waiting.push(...left)
    const unfinished = this.#ctx.use(Sessions).unfinished()
    if (unfinished.some(({ id }) => id === sessionId))
      this.#wait({ text: '', begin: (signal) => this.#agent.resume(sessionId, { signal }) }, 'first')
    else if (left.length > 0 && !this.#pumping) this.#pump()
    if (this.#keeps) void this.#resumeShared(sessionId)
  }

  /** Where machines share what waits, it is asked who has ended. Never rejects. */
  async #resumeShared(sessionId: string): Promise<void> {
    try {
      const left = await this.#store.takeShared(sessionId)
      const fresh = left.filter((message) => !this.#hasBegun(message))
      if (fresh.length === 0 || !this.open || this.sessionId !== sessionId) return
      this.#waiting.push(...fresh)
      this.front.changed('queue')
      if (!this.#pumping) this.#pump()
    } catch (error) {
      this.#ctx.log.warn('what waits in this conversation on other machines could not be read', { error, sessionId })
    }
  }

  /** A crash came between the start of its turn and its removal from the queue. */
  #hasBegun(message: QueuedMessage): boolean {
    const { key } = message
    if (key === undefined) return false
    const begun = this.#session.events().some((event) => event.type === 'turn.start' && event.options?.key === key)
    if (begun) this.#forget(message)
    return begun
  }

  unqueue(id: string): QueuedMessage | undefined {
    const found = this.queue.find((message) => message.id === id)
    this.#waiting = this.#waiting.filter((message) => message !== found)
    if (!found) return undefined
    this.#forget(found)
    this.front.changed('queue')
    return found
  }

  stop(): boolean {
    if (this.#turn) this.#turn.isStopped = true
    this.#abort()
    return this.busy
  }

  async idle(): Promise<void> {
    while (this.#pumping) await this.#pumping
  }

  complete(text: string): Promise<readonly Completion[]> {
    return completions(this.#ctx, this.place(), text)
  }

  change(settings: Parameters<Conversation['change']>[0]): void {
    const { provider, model } = this.settings
    this.#choices.change(settings)
    announceModel(this.#ctx, this, { provider, model })
    this.front.changed('settings')
  }

  async switchTo(
    wanted: string | (() => string),
    reason: Parameters<Conversation['switchTo']>[1] = 'resume',
  ): Promise<void> {
    // A session that does not exist is reported before anyone is asked.
    if (typeof wanted === 'string') this.#ctx.use(Sessions).open(wanted)
    const next = typeof wanted === 'string' ? { nextSessionId: wanted } : {}
    await checkConversationChange(this.#ctx, { reason, sessionId: this.sessionId, conversation: this, ...next })
    const sessionId = typeof wanted === 'string' ? wanted : wanted()
    const session = this.#ctx.use(Sessions).open(sessionId)
    this.#drop()
    this.stop()
    await this.idle()
    const left = this.sessionId
    await this.#left('switched')
    this.#session = session
    this.#choices.moveTo(session)
    this.#opening = announceOpened(this.#ctx, this)
    this.#made.addEmpty(sessionId)
    if (this.#keeps) await this.#made.tidy(left)
    this.#elsewhere?.note()
    this.front.changed('session')
    await this.#opening
    this.resume()
  }

  touched(): void {
    this.front.changed('messages')
  }

  say(text: string, tone: ConversationNotice['tone'] = 'info'): void {
    this.front.say({ text, tone })
  }

  place(signal: AbortSignal = this.#closing.signal): CommandContext {
    const { sessionId, cwd } = this
    const person = this.#person({ signal })
    return { sessionId, surface: this.front.commands, cwd, signal, conversation: this, person }
  }

  /** Where a command runs that `by` typed. */
  placeOf(command: string, by: MessageOrigin | undefined): CommandContext {
    const person = this.#person({ signal: this.#closing.signal, command })
    return { ...this.place(), person, ...(by && { by }) }
  }

  #person(source: PersonSource): Person {
    return this.#ctx.find(People)?.of(this.sessionId, source) ?? unreachablePerson
  }

  async close(): Promise<void> {
    if (!this.open) return
    // The queue stays on disk until the session is opened again.
    this.#waiting = []
    this.#closing.abort(new DOMException('interrupted', 'AbortError'))
    this.#abort()
    this.#ended()
    this.#elsewhere?.close()
    for (const disconnect of this.#connections) await disconnect()
    await this.idle()
    await this.#left('closed')
    this.front.changed('closed')
    if (this.#keeps) await this.#made.tidyAll()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #left(reason: 'closed' | 'switched'): Promise<void> {
    await this.#opening
    await announceClosed(this.#ctx, this, reason)
  }

  get #agent(): Agent {
    return this.#ctx.use(Agent)
  }

  #request() {
    this.#dropInvalid()
    const { surface, waits } = this.front
    return { ...this.settings, sessionId: this.sessionId, surface, whenBusy: 'queue' as const, allowDemo: waits }
  }

  /** A setting that was stored and does not hold any more is said once, and ignored. */
  #dropInvalid(): void {
    const providers = this.#ctx.all(Providers)
    const invalid = this.#choices.dropInvalid((name) => providers.get(name) !== undefined)
    if (invalid.length === 0) return
    const t = createTranslator(this.#ctx)
    const settings = invalid.join(', ')
    this.say(
      t('Chosen for this conversation, not available any more, and ignored from now on: {settings}.', { settings }),
      'warning',
    )
  }

  #abort(): void {
    this.#turn?.control.abort(new DOMException('interrupted', 'AbortError'))
  }

  #wait(message: Omit<Waiting, 'id'>, place: 'first' | 'next' | 'last'): void {
    const isKept = this.#keeps && this.#pumping !== undefined && !message.begin
    const id = isKept ? this.#store.add(this.sessionId, message) : `q${++this.#count}`
    const waiting: Waiting = { ...message, id, ...(place !== 'last' && { isNext: true }) }
    const others = this.#waiting.findIndex(({ isNext }) => !isNext)
    const ends = { first: 0, next: others < 0 ? this.#waiting.length : others, last: this.#waiting.length }
    this.#waiting.splice(ends[place], 0, waiting)
    if (this.#pumping) this.front.changed('queue')
    else this.#pump()
  }

  /** A person's terminal; what came from elsewhere is kept where it came in. */
  get #keeps(): boolean {
    return this.front.commands === 'cli'
  }

  #drop(): void {
    for (const message of this.#waiting.splice(0)) this.#forget(message)
  }

  #forget({ id }: Waiting): void {
    if (isStored({ id })) this.#store.remove(id)
  }

  /** One turn after another, until nothing waits. */
  #pump(): void {
    const work = async () => {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#run(next)
    }
    this.#pumping = work().finally(() => {
      this.#pumping = undefined
      // Something came after the last look, when it still seemed that there would be another one.
      if (this.#waiting.length > 0) this.#pump()
    })
  }

  async #run(waiting: Waiting): Promise<void> {
    const { text, images, key, begin, by, source } = waiting
    this.#taken = waiting
    await this.#opening
    const { id } = this.#session
    const turn: Underway = { control: new AbortController(), sessionId: id }
    this.#turn = turn
    const { signal } = turn.control
    let turnId: string | undefined
    this.front.changed('busy')
    try {
      if (await this.#isTaken(waiting)) return
      const events = begin
        ? begin(signal)
        : this.#agent.run({
            ...this.#request(),
            text,
            ...(images && { images }),
            ...(key !== undefined && { key }),
            ...(by && { sender: by }),
            ...(source && { source }),
            signal,
          })
      for await (const event of events) {
        // It is part of the session now.
        if (event.type === 'turn.start') this.#forget(waiting)
        turnId = event.turnId
        if (id === this.sessionId) this.front.show(event)
      }
    } catch (error) {
      logFault(this.#ctx.log, 'a turn could not be run', error)
      if (!signal.aborted) this.say(errorMessage(error), 'error')
    } finally {
      this.#over(waiting, turn, turnId)
      this.#elsewhere?.note()
      this.#turn = undefined
      this.#taken = undefined
      this.front.changed('busy')
    }
  }

  /** Whether another machine took it, because this process seemed to have ended. */
  async #isTaken(waiting: Waiting): Promise<boolean> {
    return isStored(waiting) && !(await this.#store.isOwn(waiting.id))
  }

  /** What was cut off before it was part of the session is asked again, unless it was to be stopped. */
  #over(waiting: Waiting, { control, isStopped, sessionId }: Underway, turnId: string | undefined): void {
    if (turnId !== undefined) {
      if (isStopped) closeRequest(this.#ctx, sessionId, turnId)
    } else if (isStopped) this.#forget(waiting)
    else if (control.signal.aborted && this.open) this.#waiting.unshift({ ...waiting, isNext: true })
  }
}

/** Whether it is on disk, under its number. */
function isStored({ id }: Pick<Waiting, 'id'>): boolean {
  return /^\d+$/.test(id)
}
