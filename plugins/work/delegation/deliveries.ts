/** Brings the results of work in the background into their conversations, each exactly once. */
import {
  type Conversation,
  Conversations,
  defineSessionState,
  errorCode,
  logFault,
  type PluginContext,
  type Session,
  Sessions,
  type TurnEventData,
} from 'svc/sdk'
import { Gateway } from 'svc/sdk/platform'
import type { Config } from './config.ts'
import type { Unit } from './delegation.ts'
import { resultMark, resultMessage } from './reply.ts'
import type { StoredUnit, Units } from './units.ts'

/** The units that a session waits for: a session without it needs no look into the store. */
const Awaited = defineSessionState<readonly string[]>('delegation:awaited', {
  undo: 'keeps',
  parse: (value) => (Array.isArray(value) && value.every((id) => typeof id === 'string') ? value : undefined),
})

export class Deliveries {
  readonly #ctx: PluginContext<Config>
  readonly #units: Units
  /** Results that were given to a conversation of this process, by the id of their unit. */
  readonly #sent: Map<string, Conversation> = new Map()

  constructor(ctx: PluginContext<Config>, units: Units) {
    this.#ctx = ctx
    this.#units = units
  }

  /** Its result is to come into its conversation. */
  expect({ id, parent }: Unit): void {
    const session = this.#session(parent.sessionId)
    const awaited = session?.state(Awaited) ?? []
    if (!awaited.includes(id)) session?.setState(Awaited, [...awaited, id])
  }

  hasPending(sessionId: string): boolean {
    return (this.#session(sessionId)?.state(Awaited) ?? []).length > 0
  }

  /** What was given to an earlier conversation of the session and is neither told nor in the queue is given again. */
  reopened(sessionId: string): void {
    const conversations = this.#ctx.find(Conversations)
    for (const [id, conversation] of this.#sent)
      if (!conversation.open || conversation.sessionId !== sessionId || conversations?.of(sessionId) !== conversation)
        this.#sent.delete(id)
  }

  openChat(sessionId: string): void {
    if (!this.#ctx.find(Conversations)?.of(sessionId)) this.#ctx.find(Gateway)?.open(sessionId)
  }

  /** True when the result is told or on its way; false where its conversation is not open here. */
  async deliver(stored: StoredUnit): Promise<boolean> {
    const { id, parent } = stored.unit
    const session = this.#session(parent.sessionId)
    if (!session || isTold(session, id)) {
      await this.#told(id, session)
      return true
    }
    this.openChat(parent.sessionId)
    const conversation = this.#ctx.find(Conversations)?.of(parent.sessionId)
    if (!conversation?.open || !conversation.front.stays) return false
    if (this.#sent.get(id) === conversation) return true
    this.#sent.set(id, conversation)
    const text = resultMessage(stored)
    if (stored.isStopped) await this.#keep(conversation, stored, text)
    else conversation.send(text, { key: id, whenBusy: 'queue' })
    return true
  }

  /** After a turn: marks what it told. Returns the ids. */
  async confirm(sessionId: string): Promise<readonly string[]> {
    const session = this.#session(sessionId)
    const awaited = (session?.state(Awaited) ?? []).filter((id) => this.#sent.has(id))
    if (!session || awaited.length === 0) return []
    // What is marked as told must not be lost with the power.
    await session.synced()
    const told = awaited.filter((id) => isTold(session, id))
    for (const id of told) await this.#told(id, session)
    return told
  }

  /** Puts what a subagent does into the journal of its conversation, where screens look. */
  note({ parent }: Unit, event: TurnEventData): void {
    try {
      this.#ctx
        .use(Sessions)
        .open(parent.sessionId)
        .record({ turnId: parent.turnId, events: [event] })
    } catch (error) {
      logFault(this.#ctx.log, 'the work of a subagent could not be noted', error)
    }
    this.changed(parent.sessionId)
  }

  /** The number of subagents at work may be different now. */
  changed(sessionId: string): void {
    this.#ctx.find(Conversations)?.of(sessionId)?.front.changed('busy')
  }

  /** Of work that a person stopped, the model reads with the next message; no turn begins for it. */
  async #keep(conversation: Conversation, { unit }: StoredUnit, text: string): Promise<void> {
    await conversation.idle()
    const session = this.#session(unit.parent.sessionId)
    if (!session || isTold(session, unit.id)) return
    const events = [{ type: 'steer', text }] as const
    session.record({ turnId: unit.parent.turnId, events, messages: [{ role: 'user', text }], sync: true })
    if (conversation.open && conversation.sessionId === session.id) conversation.touched()
    await this.#told(unit.id, session)
  }

  async #told(id: string, session: Session | undefined): Promise<void> {
    this.#sent.delete(id)
    await this.#units.told(id)
    const left = (session?.state(Awaited) ?? []).filter((each) => each !== id)
    session?.setState(Awaited, left.length > 0 ? left : undefined)
  }

  #session(id: string): Session | undefined {
    try {
      return this.#ctx.use(Sessions).open(id)
    } catch (error) {
      if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
      throw error
    }
  }
}

/** Whether the result of a unit is part of the conversation. A turn that could not begin has told nothing. */
function isTold(session: Session, id: string): boolean {
  const events = session.events()
  const start = events.findLast((event) => event.type === 'turn.start' && event.options?.key === id)
  if (start) {
    const own = events.filter(({ turnId }) => turnId === start.turnId)
    const end = own.findLast(({ type }) => type === 'turn.end')
    const hasFailed = end?.type === 'turn.end' && end.reason === 'failed'
    return !hasFailed || own.some(({ type }) => type === 'model.start')
  }
  return events.some((event) => event.type === 'steer' && event.text.startsWith(resultMark(id)))
}
