/** Where a service is and with which key; both are read again for every call. */
import {
  Config,
  Credentials,
  isLoopback,
  type KeySource,
  type ModelFailure,
  type ModelKey,
  mayHaveKey,
  modelFailure,
  type PluginContext,
  Secrets,
  takeModelKey,
} from 'svc/sdk'
import type { Config as CachingConfig } from './config.ts'
import type { Vendor } from './vendors.ts'

/** https://docs.anthropic.com/en/api/versioning */
const VERSION = '2023-06-01'

/** What of the plugin's context the providers need. */
export type Host = Pick<PluginContext<CachingConfig>, 'use' | 'find' | 'log' | 'config'>

/** The service, ready to be asked. */
export interface Service {
  readonly vendor: Vendor
  /** Without a slash at its end; requests add `/v1/messages`. */
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly key: ModelKey
  /** The config key that holds the address, when it is not the usual one. */
  readonly setting: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The service as it is configured, or why it cannot be asked. */
export async function resolveService(
  vendor: Vendor,
  host: Host,
): Promise<Service | { readonly failure: ModelFailure }> {
  const problem = addressProblem(vendor, host)
  if (problem !== undefined)
    return { failure: modelFailure('invalid', `${problem}. Type \`svc config edit\` to change it.`) }
  const key = await takeModelKey(vendor.id, vendor.keyNames, keySource(host))
  if ('failure' in key) return key
  const own = key.credential?.baseUrl
  if (own !== undefined && !isAddress(own)) return { failure: refused(key, own) }
  const url = new URL(own ?? addressOf(vendor, host))
  return {
    vendor,
    baseUrl: url.origin + url.pathname.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, ''),
    isLoopback: isLoopback(url),
    key,
    setting: own !== undefined || addressOf(vendor, host) === vendor.address ? undefined : settingOf(vendor),
    headers: { 'anthropic-version': VERSION, ...keyHeader(vendor, key.value) },
  }
}

/** The sentence that says why the address cannot be used. */
export function addressProblem(vendor: Vendor, host: Host): string | undefined {
  const address = addressOf(vendor, host)
  if (!URL.canParse(address)) return `${settingOf(vendor)} is "${address}", which is not an address`
  const url = new URL(address)
  return mayHaveKey(url, vendor.hosts)
    ? undefined
    : `${settingOf(vendor)} is ${url.origin}, but the key of ${vendor.label} goes to https://${vendor.hosts[0]} only`
}

function addressOf(vendor: Vendor, host: Host): string {
  const configured = host.use(Config).get(settingOf(vendor))
  return typeof configured === 'string' && configured.trim() !== '' ? configured.trim() : vendor.address
}

function settingOf({ id }: Vendor): string {
  return `providers.${id}.base_url`
}

function keyHeader({ keyHeader: name }: Vendor, key: string | undefined): Record<string, string> {
  if (key === undefined) return {}
  return { [name]: name === 'authorization' ? `Bearer ${key}` : key }
}

/** Where keys come from. */
export function keySource(host: Host): KeySource {
  return { pool: host.find(Credentials), secrets: host.use(Secrets) }
}

/** Keys of the pool may go wherever they were told to, but not in the clear. */
function isAddress(text: string): boolean {
  return URL.canParse(text) && mayHaveKey(new URL(text), [new URL(text).hostname])
}

function refused({ credential }: ModelKey, address: string): ModelFailure {
  const failure = modelFailure(
    'invalid',
    `The address of key ${credential?.id} is "${address}", which is no https:// one.`,
  )
  credential?.failed(failure)
  return failure
}
