/** A `ModelProvider` for one entry of the catalog. */
import {
  AnthropicWires,
  type AuthMethod,
  apiKeyStatus,
  Credentials,
  createModelFailure,
  fetchModels,
  type ModelEvent,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  streamModel,
} from 'svc/sdk/provider'
import type { Memory } from './call.ts'
import type { CatalogEntry, LocalEntry } from './catalog.ts'
import {
  type BadAddress,
  type Deps,
  type Endpoint,
  findAddresses,
  findModelWire,
  getSettings,
  keyedEndpoint,
  listKeyNames,
  requestTo,
  resolveEndpoint,
} from './endpoint.ts'
import { getFormatSupport } from './formats.ts'
import { parseModelList } from './model-list.ts'
import { type ProbeResult, probe } from './probe.ts'
import type { HostedEntry } from './vendors.ts'

type Status = Awaited<ReturnType<ModelProvider['status']>>

/** The provider of an entry. */
export function createProvider(entry: CatalogEntry, deps: Deps): ModelProvider {
  return entry.kind === 'local' ? localProvider(entry, deps) : remoteProvider(entry, deps)
}

function remoteProvider(entry: Exclude<CatalogEntry, LocalEntry>, deps: Deps): ModelProvider {
  const memory: Memory = {}
  return {
    ...createIdentity(entry),
    status: async () => (entry.kind === 'hosted' ? keyStatus(entry, deps) : addressStatus(entry, deps)),
    models: (signal) => listModels(entry, deps, signal),
    formats: (model) => getFormatSupport(entry, model),
    tiers: () => entry.tiers ?? [],
    stream: (request) => streamTo({ entry, host: deps, memory }, request),
  }
}

function createIdentity(entry: CatalogEntry): Pick<ModelProvider, 'name' | 'label' | 'aliases' | 'auth' | 'sideModel'> {
  const { id: name, label, aliases } = entry
  const sideModel = entry.kind === 'hosted' ? entry.sideModel : undefined
  return {
    name,
    label,
    ...(aliases ? { aliases } : {}),
    ...(sideModel === undefined ? {} : { sideModel }),
    auth: createAuth(entry),
  }
}

function createAuth(entry: CatalogEntry): AuthMethod {
  const keyNames = listKeyNames(entry)
  if (entry.kind === 'hosted')
    return { type: entry.signIn ?? 'api-key', keyNames, ...(entry.page === undefined ? {} : { page: entry.page }) }
  return keyNames.length === 0 && entry.kind === 'local' ? { type: 'none' } : { type: 'optional-key', keyNames }
}

async function keyStatus(entry: HostedEntry, deps: Deps): Promise<Status> {
  const endpoint = resolveEndpoint(entry, deps)
  const isOwn = entry.signIn === 'cloud-identity' || (await hasOwnAddress(entry, deps))
  if ('problem' in endpoint && !isOwn) return { ready: false, detail: endpoint.problem }
  return apiKeyStatus(entry.id, listKeyNames(entry), deps)
}

/** Whether a key of the pool brings the address that is missing. A pool that cannot be read has none. */
async function hasOwnAddress({ id, address }: HostedEntry, deps: Deps): Promise<boolean> {
  if (address !== undefined) return false
  const keys = await deps
    .find(Credentials)
    ?.list(id)
    .catch(() => undefined)
  return keys?.some(({ baseUrl }) => baseUrl !== undefined) === true
}

function addressStatus(entry: CatalogEntry, deps: Deps): Status {
  const endpoint = resolveEndpoint(entry, deps)
  if ('problem' in endpoint) return { ready: false, detail: endpoint.problem }
  return { ready: true, detail: `${endpoint.setting} is ${endpoint.baseUrl}` }
}

function localProvider(entry: LocalEntry, deps: Deps): ModelProvider {
  const memory: Memory = {}
  let known: string | undefined
  const find = async () => {
    const found = await probe(entry, deps)
    if (!('problem' in found)) known = found.state === 'ready' ? found.address : undefined
    return found
  }
  return {
    ...createIdentity(entry),
    status: async () => localStatus(entry, await find()),
    models: async () => {
      const found = await find()
      return 'problem' in found ? [] : found.models
    },
    formats: (model) => getFormatSupport(entry, model),
    async *stream(request) {
      // Only a server with several usual ports has to be found first.
      if (known === undefined && findAddresses(entry, deps).length > 1) await find()
      for await (const batch of streamTo({ entry, host: deps, memory, address: known }, request)) {
        if (batch.some((event) => event.type === 'failed' && event.failure.kind === 'unreachable')) known = undefined
        yield batch
      }
    },
  }
}

function localStatus(entry: LocalEntry, found: ProbeResult | BadAddress): Status {
  const say = (ready: boolean, detail: string) => ({ ready, detail, local: true })
  if ('problem' in found) return say(false, found.problem)
  const place = found.address.replace(/^https?:\/\//, '')
  switch (found.state) {
    case 'ready':
      return found.models.length > 0
        ? say(true, `it answers on ${place}`)
        : say(false, `it answers on ${place} but has no model; ${entry.advice}`)
    case 'loading':
      return say(false, `it answers on ${place} and is loading its model`)
    case 'locked':
      return say(false, `it answers on ${place} but wants a key; type \`svc config set ${entry.keyName} <key>\``)
    case 'other':
      return say(false, `what answers on ${place} is something else`)
    case 'absent':
      return say(false, `nothing answers on ${place}`)
  }
}

/** The called model, its endpoint, and the caller. */
interface Caller {
  readonly entry: CatalogEntry
  readonly host: Deps
  readonly memory: Memory
  readonly address?: string | undefined
}

async function* streamTo(
  { entry, host, memory, address }: Caller,
  request: ModelRequest,
): AsyncGenerator<readonly ModelEvent[]> {
  const { compatibleCall } = await import('./call.ts')
  const endpoint = await keyedEndpoint(entry, host, address)
  if ('failure' in endpoint) {
    yield [{ type: 'failed', failure: endpoint.failure }]
    return
  }
  const own = findModelWire(entry, host, request.model)
  const placed = own?.path === undefined ? endpoint : { ...endpoint, baseUrl: new URL(own.path, endpoint.baseUrl).href }
  if (own?.wire === 'messages') yield* streamMessages(placed, host, request)
  else yield* streamModel(compatibleCall({ ...placed, wire: own?.wire ?? endpoint.wire }, request, memory), host)
}

/** Models of another vendor that the service offers by that vendor's API. */
async function* streamMessages(
  { entry, baseUrl, key, extraHeaders }: Endpoint,
  host: Deps,
  request: ModelRequest,
): AsyncGenerator<readonly ModelEvent[]> {
  const wires = host.find(AnthropicWires)
  if (wires) {
    const { id: name, label } = entry
    yield* wires.anthropicMessages({ name, label, baseUrl, key, headers: () => extraHeaders }, request)
    return
  }
  const failure = createModelFailure(
    'invalid',
    `${entry.label} offers ${request.model} by the Messages API only. Enable the plugin provider-anthropic: \`svc plugins enable provider-anthropic\`.`,
  )
  key.credential?.failed(failure)
  yield [{ type: 'failed', failure }]
}

/** What the user names when the list cannot be had; the log says why. */
async function listModels(entry: CatalogEntry, deps: Deps, signal?: AbortSignal): Promise<readonly ModelInfo[]> {
  const usual = entry.kind === 'hosted' ? (entry.models ?? []) : []
  const named = [...new Set([...(getSettings(entry, deps).models ?? []), ...usual])].map((id) => ({ id }))
  if (usual.length > 0) return named
  const endpoint = await keyedEndpoint(entry, deps)
  if ('failure' in endpoint) return named
  const { baseUrl, key } = endpoint
  // A list of an address with a deployment is not one of deployments.
  if (baseUrl.includes('{model}')) {
    key.credential?.succeeded()
    return named
  }
  const { url, headers } = requestTo(endpoint, '/models')
  return (await fetchModels({ url, headers, key, signal, read: parseModelList }, deps)) ?? named
}
