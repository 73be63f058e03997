/**
 * Signatures of thoughts, which go back with the parts that they came with: later models refuse calls without them and
 * think worse without the others (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
import type { Carry, Message } from 'svc/sdk'

/** One part of an answer. What the message itself holds is only pointed at: text, a call, or its next picture. */
export type Piece = { readonly signature?: string } & (
  | { readonly type: 'text'; readonly length: number }
  | { readonly type: 'call'; readonly id: string }
  | { readonly type: 'image' }
)

interface Signed {
  readonly model: string
  readonly pieces: readonly Piece[]
}
type Assistant = Extract<Message, { role: 'assistant' }>

/** What is to be carried with an answer; undefined when nothing was signed. */
export function carryOf(provider: string, model: string, pieces: readonly Piece[]): Carry | undefined {
  if (!pieces.some(({ signature }) => signature)) return undefined
  const data: Signed = { model, pieces }
  return { provider, data }
}

/** The pieces of an answer of the same model. Only calls are left of them when its text was changed. */
export function piecesOf({ text, carry }: Assistant, provider: string, model: string): readonly Piece[] {
  if (carry?.provider !== provider) return []
  const { model: author, pieces } = (carry.data ?? {}) as Partial<Signed>
  if (author !== model || !Array.isArray(pieces)) return []
  const known = pieces.filter(isPiece)
  const length = known.reduce((sum, piece) => sum + (piece.type === 'text' ? piece.length : 0), 0)
  return length === text.length ? known : known.filter(({ type }) => type === 'call')
}

/** A session may come from a file that somebody has edited. */
function isPiece(value: unknown): value is Piece {
  const { type, length, id, signature } = (value ?? {}) as Record<string, unknown>
  if (signature !== undefined && typeof signature !== 'string') return false
  return (
    type === 'image' || (type === 'text' && typeof length === 'number') || (type === 'call' && typeof id === 'string')
  )
}
