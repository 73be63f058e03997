/**
 * How hard a model is told to think (https://platform.claude.com/docs/en/build-with-claude/extended-thinking,
 * /adaptive-thinking and /effort): up to Claude 4.5 by a budget of tokens, from 4.6 on by a level of effort.
 */
import type { ModelRequest, ReasoningLevel } from 'svc/sdk'

type Level = Exclude<ReasoningLevel, 'none'>

/** Tokens; the service wants at least 1,024 of them, and fewer than the whole answer may have. */
const BUDGETS: Readonly<Record<Level, number>> = { low: 4096, medium: 8192, high: 16_384, xhigh: 32_768 }
const LEAST_BUDGET = 1024

/** What goes into the request, and what follows from it for the rest of it. */
export interface Thinking {
  readonly fields: object
  /** `budget`: an answer that calls tools has to begin with its thoughts. `off`: no thoughts are sent back. */
  readonly mode: 'off' | 'budget' | 'adaptive' | 'unsaid'
  /** The service refuses a temperature beside it. */
  readonly fixesTemperature: boolean
}

/** Nothing is said: the model does as it does by itself. */
export const UNSAID: Thinking = { fields: {}, mode: 'unsaid', fixesTemperature: false }
const OFF: Thinking = { fields: { thinking: { type: 'disabled' } }, mode: 'off', fixesTemperature: false }

/** How a Claude model is told to think. `limit` is the most tokens that its answer may have. */
export function claudeThinking({ model, reasoning }: ModelRequest, limit: number): Thinking {
  const generation = generationOf(model)
  if (generation >= 4.6) return adaptiveThinking(reasoning, model, generation)
  return generation < 3.7 ? UNSAID : budgetThinking(reasoning, limit)
}

/** The same in tokens: Claude from 3.7 to 4.5, and what imitates it. */
export function budgetThinking(reasoning: ReasoningLevel | undefined, limit: number): Thinking {
  if (reasoning === undefined) return UNSAID
  const tokens = reasoning === 'none' ? 0 : Math.min(BUDGETS[reasoning], Math.floor(limit * 0.75))
  if (tokens < LEAST_BUDGET) return OFF
  const thinking = { type: 'enabled', budget_tokens: tokens }
  return { fields: { thinking }, mode: 'budget', fixesTemperature: true }
}

/** From 4.7 on thoughts are not shown unless that is asked for, and no model takes a temperature. */
function adaptiveThinking(reasoning: ReasoningLevel | undefined, model: string, generation: number): Thinking {
  const isLater = generation > 4.6
  const shown = isLater ? { display: 'summarized' } : {}
  const rest = { mode: 'adaptive', fixesTemperature: true } as const
  if (reasoning === undefined) {
    const fields = thinksByItself(model, generation) ? { thinking: { type: 'adaptive', ...shown } } : {}
    return { ...UNSAID, fields, fixesTemperature: isLater }
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
function generationOf(model: string): number {
  const old = /claude-(\d)(?:-(\d))?-(?:opus|sonnet|haiku)/.exec(model)
  const found = old ?? /-(?:opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:-(\d))?(?!\d)/.exec(model)
  return found ? Number(`${found[1]}.${found[2] ?? 0}`) : /claude-(2|instant)/.test(model) ? 2 : 5
}
