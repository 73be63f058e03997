/** `GET /models` (https://ai.google.dev/api/models): those that can hold a conversation. */
import { fetchModels, type ModelInfo, type ResolvedEndpoint } from 'svc/sdk/provider'
import { createHeaders, type Deps, getApiAddress } from './service.ts'

interface WireModel {
  readonly name?: unknown
  readonly displayName?: unknown
  readonly inputTokenLimit?: unknown
  readonly outputTokenLimit?: unknown
  readonly thinking?: unknown
  readonly supportedGenerationMethods?: unknown
}

/** Empty when the list cannot be had; the log says why. Without a key nothing is asked. */
export async function listModels(
  service: ResolvedEndpoint,
  deps: Deps,
  signal?: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const { key } = service
  if (key.value === undefined) return []
  const url = `${getApiAddress(service)}/models?pageSize=1000`
  return (await fetchModels({ url, headers: createHeaders(service), key, signal, read: modelInfos }, deps)) ?? []
}

function modelInfos(json: unknown): ModelInfo[] | undefined {
  const { models } = (json ?? {}) as { readonly models?: unknown }
  return Array.isArray(models) ? (models as (WireModel | null)[]).flatMap(modelInfo) : undefined
}

function modelInfo(model: WireModel | null): ModelInfo[] {
  const { name, displayName, inputTokenLimit, outputTokenLimit, supportedGenerationMethods: methods } = model ?? {}
  if (typeof name !== 'string' || !Array.isArray(methods) || !methods.includes('generateContent')) return []
  const id = name.replace(/^models\//, '')
  if (/embedding|-tts|-image|^imagen|^veo/.test(id)) return []
  return [
    {
      id,
      ...(typeof displayName === 'string' ? { label: displayName } : {}),
      ...(typeof inputTokenLimit === 'number' ? { contextWindow: inputTokenLimit } : {}),
      ...(typeof outputTokenLimit === 'number' ? { maxOutputTokens: outputTokenLimit } : {}),
      ...(typeof model?.thinking === 'boolean' ? { reasoning: model.thinking } : {}),
    },
  ]
}
