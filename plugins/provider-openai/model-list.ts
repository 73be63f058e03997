/** `GET /models` (https://platform.openai.com/docs/api-reference/models/list) and what compatible servers add to it. */
import type { ModelInfo } from 'svc/sdk'

/** An entry; the context window has many names: vLLM, OpenRouter, Groq, LM Studio, llama.cpp. */
interface WireModel {
  readonly id?: unknown
  readonly created?: unknown
  readonly max_model_len?: unknown
  readonly context_length?: unknown
  readonly context_window?: unknown
  readonly max_context_length?: unknown
  readonly meta?: { readonly n_ctx?: unknown } | null
}

/** The chat models of a list, newest first where it says so; undefined when it is no list. */
export function parseModelList(json: unknown): readonly ModelInfo[] | undefined {
  const data = Array.isArray(json) ? json : (json as { data?: unknown } | null)?.data
  if (!Array.isArray(data)) return undefined
  return (data as (WireModel | null)[])
    .filter((model): model is WireModel & { id: string } => typeof model?.id === 'string' && chats(model.id))
    .sort((one, other) => Number(other.created ?? 0) - Number(one.created ?? 0))
    .map((model) =>
      modelInfo(
        model.id,
        model.max_model_len ??
          model.context_length ??
          model.context_window ??
          model.max_context_length ??
          model.meta?.n_ctx,
      ),
    )
}

/** Whether a model can hold a conversation, as far as its name tells. */
export function chats(id: string): boolean {
  return !/embed|rerank|whisper|moderation|dall-e|(^|[-_/])tts([-_]|$)|-(transcribe|realtime|image)\b/i.test(id)
}

/** A model with its context window, when that is a number. */
export function modelInfo(id: string, contextWindow: unknown): ModelInfo {
  return typeof contextWindow === 'number' ? { id, contextWindow } : { id }
}
