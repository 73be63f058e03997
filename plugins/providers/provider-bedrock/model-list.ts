/**
 * What can be asked in a region: inference profiles, which most later models need, and models that are served on demand
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html and
 * /API_ListFoundationModels.html).
 */
import { fetchModels, type ModelInfo } from 'svc/sdk/provider'
import type { BedrockService, Deps } from './service.ts'

interface WireProfile {
  readonly inferenceProfileId?: unknown
  readonly inferenceProfileName?: unknown
  readonly status?: unknown
  readonly models?: readonly { readonly modelArn?: unknown }[]
}
interface WireModel {
  readonly modelId?: unknown
  readonly modelName?: unknown
  readonly providerName?: unknown
  readonly inputModalities?: unknown
  readonly outputModalities?: unknown
  readonly inferenceTypesSupported?: unknown
  readonly responseStreamingSupported?: unknown
}

/** Empty when the lists cannot be had; the log says why. Without a key nothing is asked. */
export async function listModels(service: BedrockService, deps: Deps): Promise<readonly ModelInfo[]> {
  const { key } = service
  if (key.value === undefined) return []
  // The control plane is another host.
  const baseUrl = service.baseUrl.replace('://bedrock-runtime', '://bedrock')
  const list = <T>(path: string, field: string, more: { readonly key?: typeof key }) => {
    const read = (json: unknown) => readList<T>(json, field)
    const { url, headers } = service.request({ method: 'GET', url: baseUrl + path, headers: {} })
    return fetchModels({ url, headers, read, ...more }, deps)
  }
  const [models = [], profiles = []] = await Promise.all([
    list<WireModel>('/foundation-models?byOutputModality=TEXT', 'modelSummaries', { key }),
    list<WireProfile>('/inference-profiles?maxResults=1000', 'inferenceProfileSummaries', {}),
  ])
  const byId = new Map(models.flatMap(toEntry))
  return [...profiles.flatMap((profile) => profileInfo(profile, byId)), ...models.flatMap(onDemand)]
}

function readList<T>(json: unknown, field: string): T[] | undefined {
  const items = (json as Record<string, unknown> | null | undefined)?.[field]
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : undefined
}

function toEntry(model: WireModel): [string, WireModel][] {
  return typeof model.modelId === 'string' && isChat(model) ? [[model.modelId, model]] : []
}

function isChat({ outputModalities, responseStreamingSupported }: WireModel): boolean {
  return responseStreamingSupported !== false && has(outputModalities, 'TEXT')
}

function onDemand(model: WireModel): ModelInfo[] {
  const { modelId: id, inferenceTypesSupported } = model
  return typeof id === 'string' && isChat(model) && has(inferenceTypesSupported, 'ON_DEMAND')
    ? [modelInfo(id, `${model.providerName ?? ''} ${model.modelName ?? ''}`, model)]
    : []
}

/** A profile can do what its model can. */
function profileInfo(profile: WireProfile, models: ReadonlyMap<string, WireModel>): ModelInfo[] {
  const { inferenceProfileId: id, inferenceProfileName: name, status } = profile
  const arn = String(profile.models?.[0]?.modelArn ?? '')
  const model = models.get(arn.slice(arn.indexOf('/') + 1))
  if (typeof id !== 'string' || id === '' || status === 'INACTIVE') return []
  return model || models.size === 0 ? [modelInfo(id, String(name ?? ''), model)] : []
}

function modelInfo(id: string, label: string, model: WireModel | undefined): ModelInfo {
  return {
    id,
    ...(label.trim() === '' ? {} : { label: label.trim() }),
    ...(Array.isArray(model?.inputModalities) ? { images: has(model.inputModalities, 'IMAGE') } : {}),
  }
}

function has(list: unknown, item: string): boolean {
  return Array.isArray(list) && list.includes(item)
}
