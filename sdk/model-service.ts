/** Where a model service is and with which key; both are looked up again for every call. */
import { Config } from './config.ts'
import { errorCode, SvcError } from './errors.ts'
import { isKeyAllowedAt, isLoopback } from './model-address.ts'
import { createModelFailure } from './model-failure.ts'
import { acquireApiKey, apiKeyStatus, KeyReport, type ModelKey } from './model-key.ts'
import { tryParseJson } from './model-stream.ts'
import type { PluginContext } from './plugin.ts'
import { Net } from './ports.ts'
import type { ModelFailure } from './providers.ts'
import { Secrets } from './secrets.ts'

const LIST_TIMEOUT_MS = 10_000

/** The parts of a plugin's `ctx` that calls to a model use. @since 0.2 */
export type ProviderHost = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

/** A service of one vendor, with its own key. @since 0.2 */
export interface VendorEndpoint {
  /** The id in `model.provider`; another address may stand in `providers.<id>.base_url`. */
  readonly id: string
  readonly label: string
  /** The first that is set is used. */
  readonly keyNames: readonly string[]
  readonly address: string
  /** The variable that may hold another address. */
  readonly addressName?: string
  /** The key goes to these and to hosts below them by HTTPS, and to this machine. */
  readonly hosts: readonly string[]
}

/** A service that can be asked now. @since 0.2 */
export interface ResolvedEndpoint {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly key: ModelKey
  /** The config key or variable that holds the address, when it is not the usual one. */
  readonly setting: string | undefined
}

/** The service as it is configured, with a key, or why it cannot be asked. @since 0.2 */
export async function resolveEndpoint(
  vendor: VendorEndpoint,
  host: ProviderHost,
): Promise<ResolvedEndpoint | { readonly failure: ModelFailure }> {
  const problem = addressProblem(vendor, host)
  if (problem !== undefined)
    return { failure: createModelFailure('invalid', `${problem}. Type \`svc config edit\` to change it.`) }
  const key = await acquireApiKey(vendor.id, vendor.keyNames, host)
  if ('failure' in key) return key
  const own = key.credential?.baseUrl
  const { address, setting } = findAddress(vendor, host)
  const url = new URL(own ?? address)
  return {
    baseUrl: url.origin + url.pathname.replace(/\/+$/, ''),
    isLoopback: isLoopback(url),
    key,
    setting: own === undefined ? setting : undefined,
  }
}

/** Whether it can be called now, in the form of `ModelProvider.status`. @since 0.2 */
export function endpointStatus(
  vendor: VendorEndpoint,
  host: ProviderHost,
): { readonly ready: boolean; readonly detail: string } {
  const problem = addressProblem(vendor, host)
  return problem === undefined ? apiKeyStatus(vendor.id, vendor.keyNames, host) : { ready: false, detail: problem }
}

/** A list of models to be fetched. @since 0.2 */
export interface ModelListRequest<T> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Receives the outcome of the call, if the key is from the pool. */
  readonly key?: ModelKey
  readonly signal?: AbortSignal | undefined
  /** Undefined if it is not a list. */
  read(json: unknown): readonly T[] | undefined
}

/**
 * The items that `GET` of the address returns; undefined if that fails, which is logged. Throws `MODEL_KEY_REFUSED` when the
 * service refuses the key: status 401 (RFC 9110, section 15.5.2), or 400 with `API_KEY_INVALID` as Google has it.
 * @since 0.2
 */
export async function fetchModels<T>(
  { url, headers, key = { value: undefined, variable: undefined }, signal, read }: ModelListRequest<T>,
  host: ProviderHost,
): Promise<readonly T[] | undefined> {
  const report = new KeyReport(key)
  const limits = { timeoutMs: LIST_TIMEOUT_MS, idleMs: LIST_TIMEOUT_MS }
  try {
    const response = await host.use(Net).request({ url, headers, ...limits, ...(signal && { signal }) })
    const text = await response.text()
    if (key.value !== undefined && isRefusal(response.status, text)) throw refusedKey(url, key)
    const list = response.status === 200 ? read(tryParseJson(text)?.value) : undefined
    if (list) report.ended([{ type: 'end', reason: 'stop' }])
    else host.log.warn('the list of models cannot be read', { url, status: response.status })
    return list
  } catch (error) {
    host.log.warn('the list of models cannot be read', { url, error })
    if (errorCode(error) === 'MODEL_KEY_REFUSED') throw error
    return undefined
  } finally {
    report.close()
  }
}

function isRefusal(status: number, text: string): boolean {
  return status === 401 || (status === 400 && text.includes('API_KEY_INVALID'))
}

function refusedKey(url: string, { variable }: ModelKey): SvcError {
  const { host } = new URL(url)
  const source = variable === undefined ? '' : ` in ${variable}`
  return new SvcError('MODEL_KEY_REFUSED', `${host} refuses the key${source}. Check it, or create a new one.`)
}

function addressProblem(vendor: VendorEndpoint, host: ProviderHost): string | undefined {
  const { address, setting = vendor.id } = findAddress(vendor, host)
  if (!URL.canParse(address)) return `${setting} is "${address}", which is not an address`
  const url = new URL(address)
  return isKeyAllowedAt(url, vendor.hosts)
    ? undefined
    : `${setting} is ${url.origin}, but the key of ${vendor.label} goes to https://${vendor.hosts[0]} only`
}

function findAddress(
  { id, address, addressName }: VendorEndpoint,
  host: ProviderHost,
): { readonly address: string; readonly setting?: string } {
  const setting = `providers.${id}.base_url`
  const configured = host.use(Config).get(setting)
  if (typeof configured === 'string' && configured.trim() !== '') return { address: configured.trim(), setting }
  const fromVariable = addressName === undefined ? undefined : host.use(Secrets).get(addressName)
  if (addressName === undefined || fromVariable === undefined) return { address }
  return { address: fromVariable.trim(), setting: addressName }
}
