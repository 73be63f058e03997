/** `GET /v1/models` (https://docs.anthropic.com/en/api/models-list), newest first as the service has it. */
import { errorMessage, type ModelInfo, modelFailure, Net } from 'svc/sdk'
import { outputLimit } from './output-limit.ts'
import type { Host, resolveService } from './service.ts'

const TIMEOUT_MS = 10_000

interface WireModel {
  readonly id?: unknown
  readonly display_name?: unknown
  readonly max_input_tokens?: unknown
  readonly max_tokens?: unknown
}

/** Empty when the list cannot be had; the log says why. Without a key nothing is asked. */
export async function listModels(
  service: Awaited<ReturnType<typeof resolveService>>,
  host: Host,
): Promise<readonly ModelInfo[]> {
  if ('failure' in service || service.key.value === undefined) return []
  const url = `${service.baseUrl}/v1/models?limit=1000`
  const { credential } = service.key
  try {
    const response = await host
      .use(Net)
      .request({ url, headers: service.headers, timeoutMs: TIMEOUT_MS, idleMs: TIMEOUT_MS })
    const text = await response.text()
    const data = response.status === 200 ? (JSON.parse(text) as { data?: unknown } | null)?.data : undefined
    if (Array.isArray(data)) {
      credential?.succeeded()
      return (data as (WireModel | null)[]).flatMap(modelInfo)
    }
    host.log.warn('the list of models cannot be read', { url, status: response.status })
  } catch (error) {
    host.log.warn('the list of models cannot be read', { url, error: errorMessage(error) })
  }
  credential?.failed(modelFailure('aborted', 'The list of models cannot be read.'))
  return []
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
