/** How long a result may be: alone, together with the others of one answer, and for the model that reads it. */
import type { Models, ToolCallEvent, ToolContext, ToolResult } from 'svc/sdk'
import type { Config } from './config.ts'

/** Characters that any model can take: shorter results are never touched. */
export const LEAST_ALONE = 8000
const LEAST_TOGETHER = 16_000
const SHARE_ALONE = 0.15
const SHARE_TOGETHER = 0.3
const CHARACTERS_PER_TOKEN = 4
const MAX_SESSIONS = 500

export class Limits {
  readonly #config: Pick<Config, 'max_chars' | 'max_chars_together'>
  readonly #models: () => Models | undefined
  /** Characters that the model will read with its next request, by session. */
  readonly #pending = new Map<string, number>()

  constructor(config: Pick<Config, 'max_chars' | 'max_chars_together'>, models: () => Models | undefined) {
    this.#config = config
    this.#models = models
  }

  /** The model is asked: results that come now are those of another answer. */
  begin(session: string): void {
    this.#pending.delete(session)
  }

  /** Whether a result must be looked at; cheap, as it is asked for every one. Counts those that need not. */
  concerns(result: ToolResult, { turn, tool }: ToolCallEvent): boolean {
    // What a script of the model gets never reaches the model as it is.
    if (turn.parent !== undefined) return false
    // What such a tool reads may be a kept result, whose origin is then named.
    if (tool.scope?.pages) return true
    const least = Math.min(LEAST_ALONE, this.#config.max_chars)
    const together = this.read(turn.sessionId) + result.text.length
    if (result.text.length > least || together > Math.min(LEAST_TOGETHER, this.#config.max_chars_together)) return true
    this.add(turn.sessionId, result.text.length)
    return false
  }

  /** Characters that the model already has to read. */
  read(session: string): number {
    return this.#pending.get(session) ?? 0
  }

  add(session: string, characters: number): void {
    const sum = this.read(session) + characters
    this.#pending.delete(session)
    this.#pending.set(session, sum)
    const [oldest] = this.#pending.size > MAX_SESSIONS ? this.#pending.keys() : []
    if (oldest !== undefined) this.#pending.delete(oldest)
  }

  /** For the model of the turn; where its window is not known, what the config says. */
  inCharacters(model: ToolContext['model']): { readonly alone: number; readonly together: number } {
    const window = this.#models()?.describe(model).contextWindow
    const { max_chars: alone, max_chars_together: together } = this.#config
    if (window === undefined) return { alone, together }
    const characters = window * CHARACTERS_PER_TOKEN
    return {
      alone: Math.min(alone, Math.max(LEAST_ALONE, Math.floor(characters * SHARE_ALONE))),
      together: Math.min(together, Math.max(LEAST_TOGETHER, Math.floor(characters * SHARE_TOGETHER))),
    }
  }
}
