/**
 * How hard a Gemini model is told to think (https://ai.google.dev/gemini-api/docs/thinking): by a level from version 3 on,
 * by a budget of tokens in 2.5. Earlier models and those that draw are told nothing.
 */
import type { ModelRequest, ReasoningLevel } from 'svc/sdk/provider'

type Level = Exclude<ReasoningLevel, 'none'>

/** Tokens; the most that every model with a budget takes is 24,576. */
const BUDGETS: Readonly<Record<Level, number>> = { low: 2048, medium: 8192, high: 16_384, xhigh: 24_576 }
/** These cannot stop thinking, or not think less than this. */
const LEAST_OF_PRO = 128
const LEAST_OF_LITE = 512
const LEVELS = { none: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high' } as const

/** By a level or by a budget. */
interface ThinkingConfig {
  readonly includeThoughts: boolean
  readonly thinkingLevel?: 'minimal' | 'low' | 'medium' | 'high'
  readonly thinkingBudget?: number
}

/** `thinkingConfig` of a request; undefined when nothing is to be said. */
export function thinkingConfig({ model, reasoning, maxOutputTokens }: ModelRequest): ThinkingConfig | undefined {
  if (reasoning === undefined || /-image|-tts|-live/.test(model)) return undefined
  if (/gemini-2\.5/.test(model)) return createBudget(model, reasoning, maxOutputTokens ?? Number.POSITIVE_INFINITY)
  if (!/gemini-([3-9]|\d\d)|gemini-(pro|flash|flash-lite)-latest/.test(model)) return undefined
  return { thinkingLevel: chooseThinkingLevel(model, reasoning), includeThoughts: reasoning !== 'none' }
}

/** Thoughts count as output: some room is left for the answer. */
function createBudget(model: string, reasoning: ReasoningLevel, limit: number): ThinkingConfig {
  const least = /-pro/.test(model) ? LEAST_OF_PRO : 0
  const wanted = reasoning === 'none' ? least : Math.min(BUDGETS[reasoning], Math.floor(limit * 0.75))
  const isTooLittle = /-lite/.test(model) && wanted < LEAST_OF_LITE
  const thinkingBudget = isTooLittle ? 0 : Math.max(wanted, least)
  return { thinkingBudget, includeThoughts: reasoning !== 'none' && thinkingBudget > 0 }
}

function chooseThinkingLevel(model: string, reasoning: ReasoningLevel): NonNullable<ThinkingConfig['thinkingLevel']> {
  // Of the Flash models those up to 3.6 know one level less, and the first Pro knows two only.
  if (reasoning === 'none' && /gemini-3(\.[0-6])?-flash/.test(model)) return 'minimal'
  if (reasoning === 'medium' && /gemini-3-pro/.test(model)) return 'low'
  return LEVELS[reasoning]
}
