/**
 * What can be asked in a region: inference profiles, which most later models need, and models that are served on demand
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html and
 * /API_ListFoundationModels.html).
 */
import { errorMessage, type ModelInfo, modelFailure, Net } from 'svc/sdk'
import type { Host, resolveService, Service } from './service.ts'

const TIMEOUT_MS = 10_000

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
export async function listModels(
  service: Awaited<ReturnType<typeof resolveService>>,
  host: Host,
): Promise<readonly ModelInfo[]> {
  if ('failure' in service || service.key.value === undefined) return []
  const { credential } = service.key
  const [models, profiles] = await Promise.all([
    list<WireModel>(service, host, '/foundation-models?byOutputModality=TEXT', 'modelSummaries'),
    list<WireProfile>(service, host, '/inference-profiles?maxResults=1000', 'inferenceProfileSummaries'),
  ])
  if (models || profiles) credential?.succeeded()
  else credential?.failed(modelFailure('aborted', 'The list of models cannot be read.'))
  const byId = new Map((models ?? []).flatMap(known))
  return [...(profiles ?? []).flatMap((profile) => profileInfo(profile, byId)), ...(models ?? []).flatMap(onDemand)]
}

async function list<T>(service: Service, host: Host, path: string, field: string): Promise<T[] | undefined> {
  const url = service.controlUrl + path
  try {
    const response = await host
      .use(Net)
      .request({ url, headers: service.headers, timeoutMs: TIMEOUT_MS, idleMs: TIMEOUT_MS })
    const text = await response.text()
    const body = response.status === 200 ? (JSON.parse(text) as Record<string, unknown> | null) : undefined
    const items = body?.[field]
    if (Array.isArray(items)) return items.filter((item) => typeof item === 'object' && item !== null) as T[]
    host.log.warn('the list of models cannot be read', { url, status: response.status })
  } catch (error) {
    host.log.warn('the list of models cannot be read', { url, error: errorMessage(error) })
  }
  return undefined
}

function known(model: WireModel): [string, WireModel][] {
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
