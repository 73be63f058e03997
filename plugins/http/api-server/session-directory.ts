/** Which session a request belongs to, and how a new one begins. */
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import {
  Agent,
  Clock,
  errorCode,
  type Message,
  type PluginContext,
  Random,
  type Session,
  Sessions,
  SvcError,
} from 'svc/sdk'
import type { Config } from './config.ts'
import type { ParsedInput } from './input.ts'
import type { ApiStore, SessionPosition } from './store.ts'
import type { Chosen } from './turns.ts'

/** Imported messages belong to no turn. */
const NO_TURN = 'client'

export class SessionDirectory {
  readonly #ctx: PluginContext<Config>
  readonly #store: ApiStore

  constructor(ctx: PluginContext<Config>, store: ApiStore) {
    this.#ctx = ctx
    this.#store = store
  }

  /**
   * The session that continues the conversation. A client sends the whole conversation each time: when it is the one
   * that a session has, word for word, that session continues with the state of its tools; otherwise a new one begins.
   */
  forWords(said: ParsedInput, scope: string): Chosen {
    const words = said.history.length > 0 ? hashWords(scope, said.system, said.history) : undefined
    const known = words === undefined ? undefined : this.#store.recall(words)
    if (words !== undefined && known && this.#isLatest(known))
      return { id: known.sessionId, begun: () => this.#store.forget(words) }
    const first = said.history.find(({ role }) => role === 'user') ?? said
    const beginning = createHash('sha256').update(`${said.system}\n${first.text}`).digest('hex').slice(0, 16)
    return { id: this.begin(said, `api-${beginning}`, scope) }
  }

  /** Notes that what was said and answered now is what the session has. */
  noteWords(said: ParsedInput, scope: string, answer: string, place: SessionPosition): void {
    if (!answer) return
    const user: Message = { role: 'user', text: said.text, ...(said.images.length > 0 && { images: said.images }) }
    const messages: readonly Message[] = [...said.history, user, { role: 'assistant', text: answer }]
    this.#store.remember(hashWords(scope, said.system, messages), place)
  }

  /** A new session with these instructions and messages, under this id or, when it is taken, one that begins with it. */
  begin(
    { system, history }: Pick<ParsedInput, 'system' | 'history'>,
    wanted: string,
    scope: string,
    title?: string,
  ): string {
    for (let id = wanted; ; id = `${wanted}-${this.#ctx.use(Random).hex(4)}`)
      if (this.create(id, { system, history, scope, ...(title !== undefined && { title }) })) return id
  }

  /** False when the id is taken. */
  create(
    id: string,
    begun: Pick<ParsedInput, 'system' | 'history'> & { readonly scope: string; readonly title?: string },
  ): boolean {
    const at = this.#ctx.use(Clock).now()
    const cwd = this.#ctx.config.cwd ?? homedir()
    const { system, history, scope, title } = begun
    const messages = history.map((message) => ({ message, at, turnId: NO_TURN, seq: 0 }))
    const session = { id, surface: 'api', cwd, createdAt: at, updatedAt: at, messageCount: messages.length, usage: {} }
    try {
      const archive = { session: { ...session, ...(title && { title }) }, messages, events: [] }
      this.#ctx.use(Sessions).import(archive, { soon: true })
    } catch (error) {
      if (errorCode(error) === 'SESSION_EXISTS') return false
      throw error
    }
    this.#store.setOwner(id, scope)
    if (system) this.#store.setInstructions(id, system)
    else this.#store.noInstructions(id)
    return true
  }

  /** Whether holders of this session key may have the session. */
  isOpenTo(id: string, scope: string): boolean {
    return (this.#store.owner(id) ?? scope) === scope
  }

  /** Throws `API_SESSION_NOT_FOUND`: the existence of a session of another client is not disclosed. */
  check(id: string, scope: string): void {
    if (this.isOpenTo(id, scope)) return
    throw new SvcError('API_SESSION_NOT_FOUND', `There is no session "${id.slice(0, 100)}".`, { status: 404 })
  }

  /** The session itself, with these instructions from now on. Throws `SESSION_NOT_FOUND` and what `check` throws. */
  open(id: string, system: string, scope: string): Session {
    this.check(id, scope)
    const session = this.#ctx.use(Sessions).open(id)
    if (system && this.#store.instructions(id) !== system) {
      this.#store.setInstructions(id, system)
      session.renewSystemPrompt()
    }
    return session
  }

  /** The session of this id; one that is not there begins with what was said. Throws what `check` throws. */
  openOrBegin(id: string, said: Pick<ParsedInput, 'system' | 'history'>, scope: string): Chosen {
    if (!this.has(id) && this.create(id, { system: said.system, history: said.history, scope })) return { id }
    return this.open(id, said.system, scope)
  }

  has(sessionId: string): boolean {
    try {
      this.#ctx.use(Sessions).summary(sessionId)
      return true
    } catch (error) {
      if (errorCode(error) === 'SESSION_NOT_FOUND') return false
      throw error
    }
  }

  /** The session at this place: the session itself if it has no newer messages, or a branch of it. Undefined if it was removed. */
  at(place: SessionPosition): string | undefined {
    try {
      if (this.#isLatest(place)) return place.sessionId
      return this.branch(place.sessionId, { atSeq: place.seq })
    } catch (error) {
      if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
      throw error
    }
  }

  /** A branch has the instructions and the holder of its session. */
  branch(from: string, options: { readonly atSeq?: number; readonly as?: string } = {}): string {
    const { id } = this.#ctx.use(Sessions).branch(from, options)
    const system = this.#store.instructions(from)
    if (system !== undefined) this.#store.setInstructions(id, system)
    this.#store.setOwner(id, this.#store.owner(from) ?? '')
    return id
  }

  #isLatest({ sessionId, seq }: SessionPosition): boolean {
    try {
      if (this.#ctx.use(Agent).busy(sessionId)) return false
      return this.#ctx.use(Sessions).open(sessionId).events(seq).length === 0
    } catch (error) {
      if (errorCode(error) === 'SESSION_NOT_FOUND') return false
      throw error
    }
  }
}

/**
 * Clients may trim what they send back, and some send an answer in as many messages as it had parts, or its parts as one
 * text: of what the agent said only the words count.
 */
function hashWords(scope: string, system: string, messages: readonly Message[]): string {
  const hash = createHash('sha256').update(JSON.stringify([scope, system]))
  let answer = ''
  for (const message of messages) {
    if (message.role === 'assistant') {
      answer += message.text.replaceAll(/\s+/g, '')
      continue
    }
    const images = 'images' in message ? message.images : undefined
    hash.update(JSON.stringify([answer, message.role, message.text.trim(), images?.map(({ data }) => data)]))
    answer = ''
  }
  return hash.update(JSON.stringify(answer)).digest('base64')
}
