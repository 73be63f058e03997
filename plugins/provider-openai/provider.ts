/** A `ModelProvider` for one entry of the catalog. */
import { errorMessage, type ModelInfo, type ModelProvider, type ModelRequest, Net, Secrets } from 'svc/sdk'
import type { CatalogEntry, LocalEntry } from './catalog.ts'
import {
  addressesOf,
  type BadAddress,
  type Endpoint,
  type Host,
  keyNameOf,
  requestTo,
  resolveEndpoint,
} from './endpoint.ts'
import { parseModelList } from './model-list.ts'
import { type Found, probe } from './probe.ts'
import type { HostedEntry } from './vendors.ts'

type Status = Awaited<ReturnType<ModelProvider['status']>>

const LIST_TIMEOUT_MS = 10_000

/** The provider of an entry. */
export function createProvider(entry: CatalogEntry, host: Host): ModelProvider {
  return entry.kind === 'local' ? localProvider(entry, host) : remoteProvider(entry, host)
}

function remoteProvider(entry: Exclude<CatalogEntry, LocalEntry>, host: Host): ModelProvider {
  return {
    name: entry.id,
    label: entry.label,
    status: async () => (entry.kind === 'hosted' ? keyStatus(entry, host) : addressStatus(entry, host)),
    models: () => listModels(resolveEndpoint(entry, host), host),
    stream: (request) => streamTo(resolveEndpoint(entry, host), request, host),
  }
}

function keyStatus(entry: HostedEntry, host: Host): Status {
  const endpoint = resolveEndpoint(entry, host)
  if ('problem' in endpoint) return { ready: false, detail: endpoint.problem }
  const keyName = keyNameOf(entry, host) ?? entry.keyName
  const source = host.use(Secrets).source(keyName)
  return source === undefined
    ? { ready: false, detail: `${keyName} is not set` }
    : { ready: true, detail: `${keyName} is set (${source})` }
}

function addressStatus(entry: CatalogEntry, host: Host): Status {
  const endpoint = resolveEndpoint(entry, host)
  if ('problem' in endpoint) return { ready: false, detail: endpoint.problem }
  return { ready: true, detail: `${endpoint.setting} is ${endpoint.baseUrl}` }
}

function localProvider(entry: LocalEntry, host: Host): ModelProvider {
  let known: string | undefined
  const find = async () => {
    const found = await probe(entry, host)
    if (!('problem' in found)) known = found.state === 'ready' ? found.address : undefined
    return found
  }
  return {
    name: entry.id,
    label: entry.label,
    status: async () => localStatus(entry, await find()),
    models: async () => {
      const found = await find()
      return 'problem' in found ? [] : found.models
    },
    async *stream(request) {
      // Only a server with several usual ports has to be found first.
      if (known === undefined && addressesOf(entry, host).length > 1) await find()
      for await (const batch of streamTo(resolveEndpoint(entry, host, known), request, host)) {
        if (batch.some((event) => event.type === 'failed' && event.failure.kind === 'unreachable')) known = undefined
        yield batch
      }
    },
  }
}

function localStatus(entry: LocalEntry, found: Found | BadAddress): Status {
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

async function* streamTo(endpoint: Endpoint | BadAddress, request: ModelRequest, host: Host) {
  if ('problem' in endpoint) {
    const message = `${endpoint.problem}. ${endpoint.advice}`
    yield [{ type: 'failed', failure: { kind: 'invalid', message, retryable: false } } as const]
    return
  }
  const { streamChat } = await import('./stream.ts')
  yield* streamChat(endpoint, request, host)
}

/** Empty when the list cannot be had; the log says why. */
async function listModels(endpoint: Endpoint | BadAddress, host: Host): Promise<readonly ModelInfo[]> {
  if ('problem' in endpoint) return []
  const { url, headers } = requestTo(endpoint, '/models')
  try {
    const response = await host.use(Net).request({ url, headers, timeoutMs: LIST_TIMEOUT_MS, idleMs: LIST_TIMEOUT_MS })
    const text = await response.text()
    const models = response.status === 200 ? parseModelList(JSON.parse(text)) : undefined
    if (models) return models
    host.log.warn('the list of models cannot be read', { url, status: response.status })
  } catch (error) {
    host.log.warn('the list of models cannot be read', { url, error: errorMessage(error) })
  }
  return []
}
