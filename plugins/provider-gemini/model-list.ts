/** `GET /models` (https://ai.google.dev/api/models): those that can hold a conversation. */
import { errorMessage, type ModelInfo, modelFailure, Net } from 'svc/sdk'
import type { Host, resolveService } from './service.ts'

const TIMEOUT_MS = 10_000

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
  service: Awaited<ReturnType<typeof resolveService>>,
  host: Host,
): Promise<readonly ModelInfo[]> {
  if ('failure' in service || service.key.value === undefined) return []
  const { credential } = service.key
  const url = `${service.baseUrl}/models?pageSize=1000`
  try {
    const response = await host
      .use(Net)
      .request({ url, headers: service.headers, timeoutMs: TIMEOUT_MS, idleMs: TIMEOUT_MS })
    const text = await response.text()
    const models = response.status === 200 ? (JSON.parse(text) as { models?: unknown } | null)?.models : undefined
    if (Array.isArray(models)) {
      credential?.succeeded()
      return (models as (WireModel | null)[]).flatMap(modelInfo)
    }
    host.log.warn('the list of models cannot be read', { url, status: response.status })
  } catch (error) {
    host.log.warn('the list of models cannot be read', { url, error: errorMessage(error) })
  }
  credential?.failed(modelFailure('aborted', 'The list of models cannot be read.'))
  return []
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
