/** A `ModelProvider` for one entry of the catalog. */
import {
  errorMessage,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  modelKeyStatus,
  Net,
  type ProviderAuth,
} from 'svc/sdk'
import type { CatalogEntry, LocalEntry } from './catalog.ts'
import {
  addressesOf,
  type BadAddress,
  type Endpoint,
  type Host,
  keyNamesOf,
  keySource,
  requestTo,
  resolveEndpoint,
  settingsOf,
  withKey,
} from './endpoint.ts'
import { parseModelList } from './model-list.ts'
import { type Found, probe } from './probe.ts'
import type { Caller } from './stream.ts'
import type { HostedEntry } from './vendors.ts'

type Status = Awaited<ReturnType<ModelProvider['status']>>

const LIST_TIMEOUT_MS = 10_000

/** The provider of an entry. */
export function createProvider(entry: CatalogEntry, host: Host): ModelProvider {
  return entry.kind === 'local' ? localProvider(entry, host) : remoteProvider(entry, host)
}

function remoteProvider(entry: Exclude<CatalogEntry, LocalEntry>, host: Host): ModelProvider {
  const caller: Caller = { host }
  return {
    ...identityOf(entry),
    status: async () => (entry.kind === 'hosted' ? keyStatus(entry, host) : addressStatus(entry, host)),
    models: () => listModels(resolveEndpoint(entry, host), host),
    stream: (request) => streamTo(resolveEndpoint(entry, host), request, caller),
  }
}

function identityOf(entry: CatalogEntry): Pick<ModelProvider, 'name' | 'label' | 'aliases' | 'auth'> {
  const { id: name, label, aliases } = entry
  return { name, label, ...(aliases ? { aliases } : {}), auth: authOf(entry) }
}

function authOf(entry: CatalogEntry): ProviderAuth {
  const keyNames = keyNamesOf(entry)
  if (entry.kind === 'hosted') return { type: 'api-key', keyNames, page: entry.page }
  return keyNames.length === 0 && entry.kind === 'local' ? { type: 'none' } : { type: 'optional-key', keyNames }
}

function keyStatus(entry: HostedEntry, host: Host): Status {
  const endpoint = resolveEndpoint(entry, host)
  if ('problem' in endpoint) return { ready: false, detail: endpoint.problem }
  return modelKeyStatus(entry.id, keyNamesOf(entry), keySource(host))
}

function addressStatus(entry: CatalogEntry, host: Host): Status {
  const endpoint = resolveEndpoint(entry, host)
  if ('problem' in endpoint) return { ready: false, detail: endpoint.problem }
  return { ready: true, detail: `${endpoint.setting} is ${endpoint.baseUrl}` }
}

function localProvider(entry: LocalEntry, host: Host): ModelProvider {
  const caller: Caller = { host }
  let known: string | undefined
  const find = async () => {
    const found = await probe(entry, host)
    if (!('problem' in found)) known = found.state === 'ready' ? found.address : undefined
    return found
  }
  return {
    ...identityOf(entry),
    status: async () => localStatus(entry, await find()),
    models: async () => {
      const found = await find()
      return 'problem' in found ? [] : found.models
    },
    async *stream(request) {
      // Only a server with several usual ports has to be found first.
      if (known === undefined && addressesOf(entry, host).length > 1) await find()
      for await (const batch of streamTo(resolveEndpoint(entry, host, known), request, caller)) {
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

async function* streamTo(endpoint: Endpoint | BadAddress, request: ModelRequest, caller: Caller) {
  if ('problem' in endpoint) {
    const message = `${endpoint.problem}. ${endpoint.advice}`
    yield [{ type: 'failed', failure: { kind: 'invalid', message, retryable: false } } as const]
    return
  }
  const { streamModel } = await import('./stream.ts')
  yield* streamModel(endpoint, request, caller)
}

/** What the user names when the list cannot be had; the log says why. */
async function listModels(resolved: Endpoint | BadAddress, host: Host): Promise<readonly ModelInfo[]> {
  if ('problem' in resolved) return []
  const named = [...new Set(settingsOf(resolved.entry, host).models)].map((id) => ({ id }))
  // A list of an address with a deployment is not one of deployments.
  if (resolved.baseUrl.includes('{model}')) return named
  const endpoint = await withKey(resolved, host)
  if ('failure' in endpoint) return named
  const { url, headers } = requestTo(endpoint, '/models')
  try {
    const response = await host.use(Net).request({ url, headers, timeoutMs: LIST_TIMEOUT_MS, idleMs: LIST_TIMEOUT_MS })
    const text = await response.text()
    const models = response.status === 200 ? parseModelList(JSON.parse(text)) : undefined
    if (models) return models
    host.log.warn('the list of models cannot be read', { url, status: response.status })
  } catch (error) {
    host.log.warn('the list of models cannot be read', { url, error: errorMessage(error) })
  } finally {
    endpoint.credential?.succeeded()
  }
  return named
}
