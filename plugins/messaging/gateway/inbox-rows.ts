/** The stored messages of one chat on their way: taken, handed to the conversation, answered by a turn, done. */
import type { PluginContext, TurnEndReason } from 'svc/sdk'
import { type InboundMessage, type Platform, Platforms } from 'svc/sdk/platform'
import { Traces } from 'svc/sdk/sessions'
import type { PlatformReactions } from './reactions.ts'
import type { GatewayStore, InboxRow } from './store.ts'

/** What all chats of a gateway share. */
export interface InboxDeps {
  readonly ctx: PluginContext<unknown>
  readonly store: GatewayStore
  readonly reactions: PlatformReactions
}

export class InboxRows {
  readonly #deps: InboxDeps
  /** Answers to questions that are not marked as done yet. */
  readonly #answers: Set<InboxRow> = new Set()
  /** Keys of messages that the conversation has and that no turn began with yet. */
  readonly #handed: Set<string> = new Set()
  /** The key of the message that a turn began with, by the turn. */
  readonly #keys: Map<string, string> = new Map()

  constructor(deps: InboxDeps) {
    this.#deps = deps
  }

  /** Turns that began with a message and are not over. */
  get turns(): number {
    return this.#keys.size
  }

  /** The conversation has messages that no turn began with yet. */
  get isHanded(): boolean {
    return this.#handed.size > 0
  }

  /** Messages begin together; returns the key of their turn. */
  begin(rows: readonly InboxRow[], { trace }: InboxRow): void {
    this.#deps.store.begin(rows, trace)
  }

  end(rows: readonly InboxRow[], state: 'done' | 'parked' = 'done'): void {
    this.#deps.store.end(rows, state)
    for (const { message } of rows) this.#clear(message)
  }

  #clear(message: InboundMessage): void {
    const platform = this.#deps.ctx.all(Platforms).get(message.platform)
    if (platform) this.#deps.reactions.on(platform).clear(message)
  }

  /** Done once the code that asked has stored the answer, which it does first. */
  endAnswer(row: InboxRow): void {
    this.#answers.add(row)
    setImmediate(() => this.endAnswers())
  }

  endAnswers(): void {
    if (this.#answers.size === 0) return
    this.end([...this.#answers])
    this.#answers.clear()
  }

  /** The conversation gets them now. */
  handOver(key: string): void {
    this.#handed.add(key)
  }

  /** They have no turn of their own. */
  release(key: string): void {
    this.#handed.delete(key)
    this.end(this.#deps.store.withKey(key))
  }

  /** What was handed over and never began was dropped, or could not begin. */
  releaseAll(): void {
    for (const key of [...this.#handed]) this.release(key)
  }

  /** A turn is resumed that began with the message of this key. */
  expectTurn(turnId: string, key: string): void {
    this.#keys.set(turnId, key)
  }

  beginTurn(turnId: string, key: string | undefined, platform: Platform): void {
    if (key !== undefined) {
      this.#keys.set(turnId, key)
      this.#handed.delete(key)
    }
    const own = this.#keys.get(turnId)
    const last = own === undefined ? undefined : this.#deps.store.withKey(own).at(-1)
    if (last) this.#deps.reactions.on(platform).working(last.message)
  }

  /** The messages that a turn answers. */
  messagesOf(turnId: string): readonly InboundMessage[] {
    const key = this.#keys.get(turnId)
    return key === undefined ? [] : this.#deps.store.withKey(key).map(({ message }) => message)
  }

  /** Its messages are done, unless the turn is to be resumed at the next start. */
  endTurn(turnId: string, reason: TurnEndReason, { isLeft, platform }: { isLeft: boolean; platform: Platform }): void {
    const key = this.#keys.get(turnId)
    this.#keys.delete(turnId)
    if (key === undefined || isLeft) return
    const { store, reactions } = this.#deps
    const rows = store.withKey(key)
    for (const row of rows) this.note(row, 'turn', `it ended: ${reason}`, [turnId])
    const last = rows.at(-1)
    if (last) reactions.on(platform).ended(last.message, reason)
    store.end(rows)
    for (const { message } of rows.slice(0, -1)) this.#clear(message)
  }

  /** Notes a stage on the way of a message, for `svc why`. */
  note({ trace }: InboxRow, stage: string, text: string, also?: readonly string[]): void {
    this.#deps.ctx.find(Traces)?.note(trace, stage, text, also)
  }
}
