/** Where requests go and with which key. A key is only ever joined to the address it belongs to. */
import { Config, isLoopback, mayHaveKey, type PluginContext, Secrets } from 'svc/sdk'
import type { CatalogEntry } from './catalog.ts'
import type { Config as ProvidersConfig } from './config.ts'
import type { HostedEntry } from './vendors.ts'

/** What of the plugin's context the providers need. */
export type Host = Pick<PluginContext<ProvidersConfig>, 'use' | 'config' | 'log'>

/** One server, ready to be asked. */
export interface Endpoint {
  readonly entry: CatalogEntry
  /** Without a slash at its end; requests add `/chat/completions`. */
  readonly baseUrl: string
  /** `?api-version=...` of some services; kept behind the path. */
  readonly query: string
  readonly isLoopback: boolean
  readonly key: string | undefined
  /** The variable that holds the key or should. */
  readonly keyName: string | undefined
  /** The config key that holds the address, when the user can change it. */
  readonly setting: string | undefined
}

/** An address that cannot be used: why, and the sentence that says what to type. */
export interface BadAddress {
  readonly problem: string
  readonly advice: string
}

/** The endpoint of an entry now. `address` replaces the entry's own, for servers looked for at several. */
export function resolveEndpoint(entry: CatalogEntry, host: Host, address?: string): Endpoint | BadAddress {
  const setting = settingOf(entry)
  const parsed = parseAddress(address ?? addressesOf(entry, host)[0] ?? '', setting)
  if ('problem' in parsed) return parsed
  const { url, path } = parsed
  if (entry.kind === 'hosted' && !mayHaveKey(url, entry.hosts)) return foreignHost(url, entry, setting)
  const keyName = keyNameOf(entry, host)
  return {
    entry,
    baseUrl: url.origin + pathOf(entry, path),
    query: queryOf(entry, url, host),
    isLoopback: isLoopback(url),
    key: keyName === undefined ? undefined : host.use(Secrets).get(keyName),
    keyName,
    setting: entry.kind === 'hosted' && configuredAddress(entry.id, host) === '' ? undefined : setting,
  }
}

/** Where an entry may be found, best first; empty when the user has not said. */
export function addressesOf(entry: CatalogEntry, host: Host): readonly string[] {
  if (entry.kind === 'custom') {
    const configured = host.use(Config).get('model.base_url')
    return typeof configured === 'string' && configured.trim() !== '' ? [configured] : []
  }
  const configured = configuredAddress(entry.id, host)
  if (configured !== '') return [configured]
  if (entry.kind === 'local') return entry.addresses
  return entry.address === undefined ? [] : [entry.address]
}

/** The variable that is set, else the one to set. */
export function keyNameOf(entry: CatalogEntry, host: Host): string | undefined {
  const others = entry.kind === 'hosted' ? (entry.otherKeyNames ?? []) : []
  const isSet = (name: string) => host.use(Secrets).source(name) !== undefined
  if (entry.keyName === undefined || isSet(entry.keyName)) return entry.keyName
  return others.find(isSet) ?? entry.keyName
}

/** The URL of an API path, with the headers that every request carries. */
export function requestTo(endpoint: Endpoint, path: string): { url: string; headers: Record<string, string> } {
  const { entry, key } = endpoint
  const url = endpoint.baseUrl + path + endpoint.query
  if (key === undefined) return { url, headers: {} }
  if (entry.kind === 'hosted' && entry.keyHeader !== undefined) return { url, headers: { [entry.keyHeader]: key } }
  return { url, headers: { authorization: `Bearer ${key}` } }
}

function configuredAddress(id: string, host: Host): string {
  return host.config[id]?.base_url.trim() ?? ''
}

function foreignHost(url: URL, entry: HostedEntry, setting: string | undefined): BadAddress {
  return {
    problem: `${setting} is ${url.origin}, but the key of ${entry.label} goes to https://${entry.hosts[0]} only`,
    advice: `For another server: \`svc config set model.provider custom\` and \`svc config set model.base_url ${url.origin}${url.pathname}\`.`,
  }
}

function pathOf(entry: CatalogEntry, path: string): string {
  if (entry.kind === 'local') return `${path.replace(/\/v1$/, '')}/v1`
  return entry.kind === 'hosted' && path === '' ? (entry.usualPath ?? '') : path
}

function queryOf(entry: CatalogEntry, { search, searchParams }: URL, host: Host): string {
  const version = entry.kind === 'hosted' ? (host.config[entry.id]?.api_version ?? '') : ''
  if (version === '' || searchParams.has('api-version')) return search
  return `${search === '' ? '?' : `${search}&`}api-version=${encodeURIComponent(version)}`
}

function settingOf(entry: CatalogEntry): string | undefined {
  return entry.kind === 'custom' ? 'model.base_url' : `providers.${entry.id}.base_url`
}

/** Forgives a slash at the end and an address that was copied together with the path of the chat endpoint. */
function parseAddress(text: string, setting: string | undefined): { url: URL; path: string } | BadAddress {
  const address = text.trim()
  const advice = `Type \`svc config set ${setting} http://host:port/v1\`.`
  if (address === '') return { problem: `${setting} is not set`, advice }
  if (!/^https?:\/\//i.test(address))
    return { problem: `${setting} is "${address}", but it must begin with http:// or https://`, advice }
  if (!URL.canParse(address)) return { problem: `${setting} is "${address}", which is not an address`, advice }
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    return { problem: `${setting} has a user name or password in it; keys belong into .env`, advice }
  return { url, path: url.pathname.replace(/\/chat\/completions\/?$/, '').replace(/\/+$/, '') }
}
