/** Marks on messages: annotations, taken back by a redaction (spec.matrix.org/latest/client-server-api, m.reaction). */
import { createHash } from 'node:crypto'
import type { MessageReaction, ReactionState } from 'svc/sdk/platform'
import { roomPath } from './room-path.ts'

const EMOJI: Readonly<Record<ReactionState, string>> = { working: '👀', done: '✅', failed: '❌' }
/** Annotations whose ids are remembered; older ones stay where they are. */
const MAX_REMEMBERED = 500

/** `PUT` with a body; gives the answer of the homeserver. */
export type Put = (path: string, body: object) => Promise<{ readonly event_id?: unknown }>

export class Reactions {
  readonly #put: Put
  /** Ids of annotations, by what they stand for. */
  readonly #ids: Map<string, string> = new Map()

  constructor(put: Put) {
    this.#put = put
  }

  async set({ chatId, messageId, state, before }: MessageReaction): Promise<void> {
    if (state) await this.#annotate(chatId, messageId, state)
    if (before) await this.#takeBack(chatId, messageId, before)
  }

  async #annotate(roomId: string, messageId: string, state: ReactionState): Promise<void> {
    const { path, body } = annotation(roomId, messageId, EMOJI[state])
    const { event_id: id } = await this.#put(path, body)
    if (typeof id !== 'string') return
    this.#ids.set(joinKey(roomId, messageId, state), id)
    const [oldest] = this.#ids.size > MAX_REMEMBERED ? this.#ids.keys() : []
    if (oldest !== undefined) this.#ids.delete(oldest)
  }

  /** The id of a reaction that another process set is not known. */
  async #takeBack(roomId: string, messageId: string, state: ReactionState): Promise<void> {
    const key = joinKey(roomId, messageId, state)
    const id = this.#ids.get(key)
    if (id === undefined) return
    this.#ids.delete(key)
    const path = `${roomPath(roomId)}/redact/${encodeURIComponent(id)}/${transaction(roomId, messageId, `${state}-off`)}`
    await this.#put(path, {})
  }
}

/** The request that sets an emoji under an event. */
export function annotation(
  roomId: string,
  messageId: string,
  emoji: string,
): { readonly path: string; readonly body: object } {
  const relation = { rel_type: 'm.annotation', event_id: messageId, key: emoji }
  const path = `${roomPath(roomId)}/send/m.reaction/${transaction(roomId, messageId, emoji)}`
  return { path, body: { 'm.relates_to': relation } }
}

function joinKey(...parts: readonly string[]): string {
  return parts.join('\n')
}

/** The same for the same mark, so that a repeated request makes no second one. */
function transaction(...parts: readonly string[]): string {
  return `svc-${createHash('sha256')
    .update(joinKey(...parts))
    .digest('hex')
    .slice(0, 32)}`
}
