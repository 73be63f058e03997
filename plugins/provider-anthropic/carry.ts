/**
 * Thoughts that go back with the answer they belong to, unchanged and in their place: the service checks a signature
 * over them (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks). Another
 * model refuses them.
 */
import type { Carry, Message } from 'svc/sdk'

/** What a model thought, open or encrypted. */
export type ThoughtBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
/** One block of an answer. What the message itself holds is only pointed at: characters of its text, or a call. */
export type Piece =
  | ThoughtBlock
  | { readonly type: 'text'; readonly length: number }
  | { readonly type: 'tool_use'; readonly id: string }

interface Thoughts {
  readonly model: string
  readonly pieces: readonly Piece[]
}
type Assistant = Extract<Message, { role: 'assistant' }>

/** Whether it is a thought. */
export function isThought<T extends { readonly type: string }>(block: T | ThoughtBlock): block is ThoughtBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** What is to be carried with an answer; undefined when nothing was thought that could go back. */
export function carryOf(provider: string, model: string, pieces: readonly Piece[]): Carry | undefined {
  const data: Thoughts = { model, pieces: pieces.filter(isPiece) }
  return data.pieces.some(isThought) ? { provider, data } : undefined
}

/** The pieces of an answer of the same model at the same provider. Thoughts alone stand first when its text was changed. */
export function piecesOf({ text, carry }: Assistant, provider: string, model: string): readonly Piece[] {
  if (carry?.provider !== provider) return []
  const { model: author, pieces } = (carry.data ?? {}) as Partial<Thoughts>
  if (author !== model || !Array.isArray(pieces)) return []
  const known = pieces.filter(isPiece)
  const length = known.reduce((sum, piece) => sum + (piece.type === 'text' ? piece.length : 0), 0)
  return length === text.length ? known : known.filter(isThought)
}

/** A session may come from a file that somebody has edited, and a thought without its signature is refused. */
function isPiece(value: unknown): value is Piece {
  const piece = (value ?? {}) as Record<string, unknown>
  switch (piece['type']) {
    case 'thinking':
      return typeof piece['thinking'] === 'string' && Boolean(piece['signature'])
    case 'redacted_thinking':
      return typeof piece['data'] === 'string'
    case 'text':
      return typeof piece['length'] === 'number'
    default:
      return piece['type'] === 'tool_use' && typeof piece['id'] === 'string'
  }
}
