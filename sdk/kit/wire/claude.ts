/**
 * How Claude models think, wherever they are asked (https://platform.claude.com/docs/en/build-with-claude/extended-thinking,
 * /adaptive-thinking and /effort): up to Claude 4.5 by a budget of tokens, from 4.6 on by a level of effort.
 */
import { type ProviderBlock, replayAnswer } from '../../model-carry.ts'
import type { AnswerFormatSupport, ModelRequest, ReasoningLevel } from '../../providers.ts'

type Level = Exclude<ReasoningLevel, 'none'>

/** Tokens; the service requires at least 1,024, and fewer than the limit of the whole answer. */
const BUDGETS: Readonly<Record<Level, number>> = { low: 4096, medium: 8192, high: 16_384, xhigh: 32_768 }
const LEAST_BUDGET = 1024

/** The fields that tell a Claude model how to think. @since 0.2 */
export interface AnthropicThinkingFields {
  readonly thinking?:
    | { readonly type: 'disabled' | 'between_tools' }
    | { readonly type: 'enabled'; readonly budget_tokens: number }
    | { readonly type: 'adaptive'; readonly display?: 'summarized' }
  readonly output_config?: { readonly effort: Exclude<ReasoningLevel, 'none'> }
}
/** The fields of a request, and what follows from them for the rest of it. @since 0.2 */
export interface AnthropicThinking {
  readonly fields: AnthropicThinkingFields
  /** Thoughts of earlier answers go back with them. */
  readonly carries: boolean
  /** The service refuses a temperature beside it. */
  readonly fixesTemperature: boolean
  /** The request has to say how much the answer may have. */
  readonly needsLimit?: true
}
/** A thinking block, open or encrypted. @since 0.2 */
export type AnthropicThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

/** Nothing is sent: the default of the model applies. */
const DEFAULT_THINKING: AnthropicThinking = { fields: {}, carries: true, fixesTemperature: false }
const OFF: AnthropicThinking = { fields: { thinking: { type: 'disabled' } }, carries: false, fixesTemperature: false }

/**
 * The thinking parameters for a Claude model. `limit` is the maximum of tokens of its answer. `budget`: what imitates Claude
 * 4.5 under another name.
 * @since 0.2
 */
export function anthropicThinking(
  request: ModelRequest,
  { provider, limit, budget = false }: { readonly provider: string; readonly limit: number; readonly budget?: boolean },
): AnthropicThinking {
  const { model, reasoning } = request
  const generation = budget ? 4.5 : parseGeneration(model)
  if (generation >= 4.6) return adaptiveThinking(reasoning, model, generation)
  return generation < 3.7 ? DEFAULT_THINKING : budgetThinking(request, provider, limit)
}

/**
 * Whether a Claude model supports structured outputs (https://platform.claude.com/docs/en/build-with-claude/structured-outputs):
 * from 4.5 on, and Opus 4.1.
 * @since 0.2
 */
export function anthropicSupportsFormat(model: string): AnswerFormatSupport | undefined {
  const generation = parseGeneration(model)
  const isKnown = generation >= 4.5 || (generation === 4.1 && model.includes('opus'))
  return isKnown ? { holds: 'schema', besideTools: true } : undefined
}

/** The thought that a piece of a carry holds. One without its signature is refused. @since 0.2 */
export function anthropicThinkingBlock(piece: ProviderBlock): AnthropicThinkingBlock | undefined {
  const { type, thinking, signature, data } = piece
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string' && signature !== '')
    return { type, thinking, signature }
  return type === 'redacted_thinking' && typeof data === 'string' ? { type, data } : undefined
}

function budgetThinking(request: ModelRequest, provider: string, limit: number): AnthropicThinking {
  const { reasoning } = request
  if (reasoning === undefined) return DEFAULT_THINKING
  const tokens = reasoning === 'none' ? 0 : Math.min(BUDGETS[reasoning], Math.floor(limit * 0.75))
  if (tokens < LEAST_BUDGET) return OFF
  if (!mayBegin(request, provider)) return { ...OFF, fields: {} }
  return {
    fields: { thinking: { type: 'enabled', budget_tokens: tokens } },
    carries: true,
    fixesTemperature: true,
    needsLimit: true,
  }
}

/** In the middle of tool calls thinking cannot begin: the last answer must have its thoughts before its calls. */
function mayBegin({ messages, model }: ModelRequest, provider: string): boolean {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const answer = messages[at]
  const isInside = messages.slice(at + 1).some(({ role }) => role === 'tool')
  if (answer?.role !== 'assistant' || !isInside) return true
  const first = replayAnswer(answer, { provider, model }).find(
    (part) => part.type !== 'text' || part.text.trim() !== '',
  )
  return first?.type === 'own' && anthropicThinkingBlock(first.piece) !== undefined
}

/** From 4.7 on thoughts are not shown unless that is asked for, and no model takes a temperature. */
function adaptiveThinking(reasoning: ReasoningLevel | undefined, model: string, generation: number): AnthropicThinking {
  const isLater = generation > 4.6
  const shown = isLater ? ({ display: 'summarized' } as const) : {}
  const rest = { carries: true, fixesTemperature: true } as const
  if (reasoning === undefined) {
    const fields: AnthropicThinkingFields = thinksByItself(model, generation)
      ? { thinking: { type: 'adaptive', ...shown } }
      : {}
    return { ...DEFAULT_THINKING, fields, fixesTemperature: isLater }
  }
  if (reasoning === 'none' && model.includes('sonnet-5-5'))
    return { fields: { thinking: { type: 'between_tools' } }, ...rest }
  if (reasoning === 'none' && canBeOff(model, generation)) return { ...OFF, fixesTemperature: isLater }
  const effort = reasoning === 'none' ? 'low' : reasoning === 'xhigh' && !isLater ? 'high' : reasoning
  return { fields: { thinking: { type: 'adaptive', ...shown }, output_config: { effort } }, ...rest }
}

function thinksByItself(model: string, generation: number): boolean {
  return (generation > 5 && generation < 6) || /fable|mythos|opus-5/.test(model)
}

function canBeOff(model: string, generation: number): boolean {
  return !/fable|mythos/.test(model) && (generation <= 5 || model.includes('haiku-5-5'))
}

/** 3.7 of `claude-3-7-sonnet-20250219`, 4.5 of `claude-haiku-4-5`; an id without a number is a later one. */
function parseGeneration(model: string): number {
  const old = /claude-(\d)(?:-(\d))?-(?:opus|sonnet|haiku)/.exec(model)
  const found = old ?? /-(?:opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:-(\d))?(?!\d)/.exec(model)
  return found ? Number(`${found[1]}.${found[2] ?? 0}`) : /claude-(2|instant)/.test(model) ? 2 : 5
}
