/** What a call took, from the counts of a service: both wires and all spellings in one table. */
import type { Usage } from 'svc/sdk'
import type { ServiceTier } from 'svc/sdk/sessions'

type Count = number | null | undefined
interface Details {
  readonly cached_tokens?: Count
  /** OpenAI and OpenRouter; the other is Qwen's. */
  readonly cache_write_tokens?: Count
  readonly cache_creation_input_tokens?: Count
  readonly reasoning_tokens?: Count
}

/** Chat completions count `prompt` and `completion`, responses `input` and `output`. */
export interface WireUsage {
  readonly prompt_tokens?: Count
  readonly completion_tokens?: Count
  readonly prompt_tokens_details?: Details | null
  readonly completion_tokens_details?: Details | null
  readonly input_tokens?: Count
  readonly output_tokens?: Count
  readonly input_tokens_details?: Details | null
  readonly output_tokens_details?: Details | null
  /** DeepSeek. */
  readonly prompt_cache_hit_tokens?: Count
  /** Moonshot. */
  readonly cached_tokens?: Count
  /** Fields of services that say what a call cost; `Cost` names which one is believed. */
  readonly cost?: unknown
  readonly estimated_cost?: unknown
  readonly cost_in_usd_ticks?: unknown
}

/** Where a service says what a call cost, and how many of its units are a US dollar. */
export interface Cost {
  readonly field: 'cost' | 'estimated_cost' | 'cost_in_usd_ticks'
  readonly perUsd: number
}

const TIERS: Readonly<Record<string, ServiceTier>> = {
  priority: 'priority',
  // OpenAI has renamed it.
  fast: 'priority',
  flex: 'flex',
  default: 'default',
  // Vertex AI, by way of OpenRouter.
  standard: 'default',
}

/** The tier that an answer names. */
export function readTier(value: unknown): ServiceTier | undefined {
  return typeof value === 'string' && Object.hasOwn(TIERS, value) ? TIERS[value] : undefined
}

/** The counts, as `AnswerParts.end` takes them. */
export function readUsage(wire: WireUsage, cost: Cost | undefined): { readonly [Count in keyof Usage]?: unknown } {
  const read = wire.prompt_tokens_details ?? wire.input_tokens_details
  const wrote = wire.completion_tokens_details ?? wire.output_tokens_details
  const price = cost === undefined ? undefined : wire[cost.field]
  return {
    input: wire.prompt_tokens ?? wire.input_tokens,
    output: wire.completion_tokens ?? wire.output_tokens,
    cachedInput: read?.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens,
    cacheWriteInput: read?.cache_write_tokens ?? read?.cache_creation_input_tokens,
    reasoning: wrote?.reasoning_tokens,
    costUsd: typeof price === 'number' ? price / (cost?.perUsd ?? 1) : undefined,
  }
}
