/**
 * What goes back with an answer to the model that gave it: signed thoughts in their place among texts and calls. Services
 * refuse them changed or in another order, and those of another model.
 */
import type { Message, ProviderMetadata, ToolCall } from './messages.ts'

/**
 * One piece of an answer. Those of type `text` and `call` only point at what the message itself holds: so many characters
 * of its text, the call with this id. All other types, and all other fields, are the wire's own.
 * @since 0.2
 */
export interface ProviderBlock {
  readonly type: string
  /** Of a text. */
  readonly length?: number
  /** Of a call. */
  readonly id?: string
  readonly [own: string]: unknown
}

/**
 * A part of an earlier answer. `piece` is what its wire has kept of it; a session may come from an edited file.
 * @since 0.2
 */
export type ReplayPart = { readonly piece?: ProviderBlock } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | { readonly type: 'own'; readonly piece: ProviderBlock }
)

/** The model that gave an answer. @since 0.2 */
export interface AnswerAuthor {
  readonly provider: string
  readonly model: string
}

/**
 * The carry of an answer, its pieces in the order in which they came. Nothing but texts and calls needs none.
 * @since 0.2
 */
export function toProviderMetadata(
  { provider, model }: AnswerAuthor,
  pieces: readonly ProviderBlock[],
): ProviderMetadata | undefined {
  return pieces.some(isOwn) ? { provider, data: { model, pieces } } : undefined
}

/**
 * An answer as the author of its carry gave it; for everybody else its text and its calls. Every text and call of the
 * message comes once: content that the carry does not know comes last, and a changed text stands whole where the first
 * one stood.
 * @since 0.2
 */
export function replayAnswer(
  message: Extract<Message, { role: 'assistant' }>,
  author: AnswerAuthor | undefined,
): ReplayPart[] {
  const pieces = author ? piecesFor(message, author) : []
  const texts = new Texts(message.text, pieces)
  const calls = new Map(message.toolCalls?.map((call) => [call.id, call]))
  const parts: ReplayPart[] = []
  for (const piece of pieces) {
    const call = piece.type === 'call' ? calls.get(String(piece.id)) : undefined
    if (piece.type === 'text') parts.push(texts.next(piece))
    else if (piece.type !== 'call') parts.push({ type: 'own', piece })
    else if (call && calls.delete(call.id)) parts.push({ type: 'call', call, piece })
  }
  const rest = texts.rest()
  if (rest !== '') parts.push({ type: 'text', text: rest })
  for (const call of calls.values()) parts.push({ type: 'call', call })
  return parts
}

/** Cuts a text as it came. */
class Texts {
  #text: string
  #isChanged: boolean
  #at = 0

  constructor(text: string, pieces: readonly ProviderBlock[]) {
    this.#text = text
    this.#isChanged = pieces.reduce((sum, piece) => sum + measurePiece(piece), 0) !== text.length
  }

  next(piece: ProviderBlock): ReplayPart {
    const end = this.#isChanged ? this.#text.length : this.#at + measurePiece(piece)
    const text = this.#text.slice(this.#at, end)
    this.#at = end
    return this.#isChanged ? { type: 'text', text } : { type: 'text', text, piece }
  }

  rest(): string {
    return this.#text.slice(this.#at)
  }
}

function piecesFor(
  { carry }: Extract<Message, { role: 'assistant' }>,
  { provider, model }: AnswerAuthor,
): readonly ProviderBlock[] {
  if (carry?.provider !== provider) return []
  const data = (carry.data ?? {}) as { readonly model?: unknown; readonly pieces?: unknown }
  return data.model === model && Array.isArray(data.pieces) ? data.pieces.filter(isPiece) : []
}

function isPiece(value: unknown): value is ProviderBlock {
  return typeof (value as { type?: unknown } | null)?.type === 'string'
}

/** More than the message itself holds. */
function isOwn({ type, length: _, id: __, ...rest }: ProviderBlock): boolean {
  return (type !== 'text' && type !== 'call') || Object.keys(rest).length > 0
}

function measurePiece({ type, length }: ProviderBlock): number {
  return type === 'text' && typeof length === 'number' ? length : 0
}
