/** Side work for models: summaries, titles, looking at pictures. Each kind of work is a slot with its own model. */

import { defineService, type Service } from './declarations.ts'
import type { Message, Usage } from './messages.ts'

/** A piece of side work. @since 0.1 */
export interface AuxiliaryRequest {
  /** Its block is `auxiliary.<slot>`: `compression`, `title`, `vision`, `approval`, `web_extract`, ... */
  readonly slot: string
  readonly messages: readonly Message[]
  /** Asked before the models of the slot. Without a provider: that of the chat. */
  readonly prefer?: { readonly provider?: string; readonly model: string }
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly signal?: AbortSignal
  /** Whose money it is. */
  readonly sessionId?: string
  readonly turnId?: string
  /** Budgets that it spends from, too: `task:ID`, `board:SLUG`. @since 0.2 */
  readonly groups?: readonly string[]
}

/** The answer of an auxiliary model, and which one gave it. @since 0.2 */
export interface AuxiliaryResult {
  readonly text: string
  readonly provider: string
  readonly model: string
  readonly usage: Usage
}

/** A kind of side work and who does it. @since 0.2 */
export interface AuxiliarySlotInfo {
  readonly slot: string
  /** `auto`: the model that answers in chat. */
  readonly provider: string
  /** Empty: the one that answers in chat. */
  readonly model: string
  readonly timeoutMs: number
}

/** Provided by the plugin `auxiliary`. @since 0.1 */
export interface AuxiliaryModels {
  /**
   * Asks the model of the slot, then those of its `fallback_chain`, then the main model; a slot without a model of its
   * own uses the main one. Rejects with `AUXILIARY_FAILED` (the error of each), `AUXILIARY_MISSING` (no model is
   * connected), `BUDGET_EXCEEDED` or the signal's reason. An answer without text is a failure.
   */
  ask(request: AuxiliaryRequest): Promise<AuxiliaryResult>
  /** The slots that are known or configured. */
  slots(): readonly AuxiliarySlotInfo[]
}
export const AuxiliaryModels: Service<AuxiliaryModels> = defineService('auxiliary-models', { free: true })
