/** `GET /v1/models` (https://docs.anthropic.com/en/api/models-list), newest first as the service has it. */
import type { PluginContext } from 'svc/sdk'
import { fetchModels, type ModelInfo, type ResolvedEndpoint } from 'svc/sdk/provider'
import { createHeaders, getApiAddress } from './call.ts'
import { outputLimit } from './output-limit.ts'
import type { Vendor } from './vendors.ts'

interface WireModel {
  readonly id?: unknown
  readonly display_name?: unknown
  readonly max_input_tokens?: unknown
  readonly max_tokens?: unknown
}

/** Empty when the list cannot be had; the log says why. Without a key nothing is asked. */
export async function listModels(
  service: ResolvedEndpoint,
  vendor: Vendor,
  host: Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>,
  signal?: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const { key } = service
  if (key.value === undefined) return []
  const url = `${getApiAddress(service)}/models?limit=1000`
  return (
    (await fetchModels({ url, headers: createHeaders(vendor, service), key, signal, read: modelInfos }, host)) ?? []
  )
}

function modelInfos(json: unknown): ModelInfo[] | undefined {
  const { data } = (json ?? {}) as { readonly data?: unknown }
  return Array.isArray(data) ? (data as (WireModel | null)[]).flatMap(modelInfo) : undefined
}

function modelInfo(model: WireModel | null): ModelInfo[] {
  if (typeof model?.id !== 'string' || model.id === '') return []
  const { id, display_name: label, max_input_tokens: window, max_tokens: limit } = model
  return [
    {
      id,
      ...(typeof label === 'string' ? { label } : {}),
      ...(typeof window === 'number' ? { contextWindow: window } : {}),
      maxOutputTokens: typeof limit === 'number' ? limit : outputLimit(id),
    },
  ]
}
