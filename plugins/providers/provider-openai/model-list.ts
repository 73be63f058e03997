/** `GET /models` (https://platform.openai.com/docs/api-reference/models/list) and what compatible servers add to it. */
import type { ModelInfo, ModelPrice } from 'svc/sdk/provider'

/** An entry; the context window has many names: vLLM, OpenRouter, Groq, LM Studio, llama.cpp. */
interface WireModel {
  readonly id?: unknown
  readonly created?: unknown
  readonly max_model_len?: unknown
  readonly context_length?: unknown
  readonly context_window?: unknown
  readonly max_context_length?: unknown
  readonly meta?: { readonly n_ctx?: unknown } | null
  readonly name?: unknown
  /** OpenRouter: US dollars for a token, as text. */
  readonly pricing?: {
    readonly prompt?: unknown
    readonly completion?: unknown
    readonly input_cache_read?: unknown
    readonly input_cache_write?: unknown
  } | null
  /** OpenRouter. */
  readonly top_provider?: { readonly max_completion_tokens?: unknown } | null
  readonly architecture?: { readonly input_modalities?: unknown } | null
  readonly supported_parameters?: unknown
  /** Mistral. */
  readonly capabilities?: { readonly vision?: unknown; readonly function_calling?: unknown } | null
  /** Moonshot. */
  readonly supports_image_in?: unknown
  readonly supports_reasoning?: unknown
}

/** The chat models of a list, newest first where it says so; undefined when it is no list. */
export function parseModelList(json: unknown): readonly ModelInfo[] | undefined {
  const data = Array.isArray(json) ? json : (json as { data?: unknown } | null)?.data
  if (!Array.isArray(data)) return undefined
  return (data as (WireModel | null)[])
    .filter((model): model is WireModel & { id: string } => typeof model?.id === 'string' && chats(model.id))
    .sort((one, other) => Number(other.created ?? 0) - Number(one.created ?? 0))
    .map((model) => ({ ...modelInfo(model.id, readContextWindow(model)), ...readModelFacts(model) }))
}

function readContextWindow(model: WireModel): unknown {
  return (
    model.max_model_len ?? model.context_length ?? model.context_window ?? model.max_context_length ?? model.meta?.n_ctx
  )
}

/** What a few services say besides; what they leave out stays unknown. */
function readModelFacts(model: WireModel): Partial<ModelInfo> {
  const { architecture, capabilities, supported_parameters: parameters } = model
  const limit = model.top_provider?.max_completion_tokens
  const facts: [keyof ModelInfo, unknown][] = [
    ['label', model.name !== model.id && typeof model.name === 'string' ? model.name : undefined],
    ['maxOutputTokens', typeof limit === 'number' ? limit : undefined],
    ['price', readPrice(model)],
    ['images', listHas(architecture?.input_modalities, 'image') ?? capabilities?.vision ?? model.supports_image_in],
    ['tools', listHas(parameters, 'tools') ?? capabilities?.function_calling],
    ['reasoning', listHas(parameters, 'reasoning') ?? model.supports_reasoning],
  ]
  return Object.fromEntries(facts.filter(([, value]) => value !== undefined && value !== null))
}

function listHas(list: unknown, word: string): boolean | undefined {
  return Array.isArray(list) ? list.includes(word) : undefined
}

function readPrice({ pricing }: WireModel): ModelPrice | undefined {
  const million = (text: unknown) => {
    const price = typeof text === 'string' && text.trim() !== '' ? Number(text) * 1e6 : Number.NaN
    // A router that chooses the model has a price of -1.
    return price >= 0 ? Number(price.toPrecision(12)) : undefined
  }
  const [input, output] = [million(pricing?.prompt), million(pricing?.completion)]
  if (input === undefined || output === undefined) return undefined
  const [cachedInput, cacheWriteInput] = [million(pricing?.input_cache_read), million(pricing?.input_cache_write)]
  return {
    input,
    output,
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWriteInput === undefined ? {} : { cacheWriteInput }),
  }
}

/** Whether a model can hold a conversation, as far as its name tells. */
export function chats(id: string): boolean {
  return !/embed|rerank|whisper|moderation|dall-e|(^|[-_/])tts([-_]|$)|-(transcribe|realtime|image)\b/i.test(id)
}

/** A model with its context window, when that is a number. */
export function modelInfo(id: string, contextWindow: unknown): ModelInfo {
  return typeof contextWindow === 'number' ? { id, contextWindow } : { id }
}
