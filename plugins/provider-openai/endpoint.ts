/** Where requests go and with which key. A key is only ever joined to the address it belongs to. */
import { Config, type PluginContext, Secrets } from 'svc/sdk'
import type { CatalogEntry } from './catalog.ts'
import type { Config as ProvidersConfig } from './config.ts'

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
  return {
    entry,
    baseUrl: url.origin + (entry.kind === 'local' ? `${path.replace(/\/v1$/, '')}/v1` : path),
    query: url.search,
    isLoopback: /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname),
    key: entry.keyName === undefined ? undefined : host.use(Secrets).get(entry.keyName),
    setting,
  }
}

/** Where an entry may be found, best first; empty when the user has not said. */
export function addressesOf(entry: CatalogEntry, host: Host): readonly string[] {
  if (entry.kind === 'hosted') return [entry.address]
  if (entry.kind === 'local') {
    const configured = host.config[entry.id].base_url
    return configured === '' ? entry.addresses : [configured]
  }
  const configured = host.use(Config).get('model.base_url')
  return typeof configured === 'string' && configured.trim() !== '' ? [configured] : []
}

/** The URL of an API path, with the headers that every request carries. */
export function requestTo(endpoint: Endpoint, path: string): { url: string; headers: Record<string, string> } {
  return {
    url: endpoint.baseUrl + path + endpoint.query,
    headers: endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` },
  }
}

function settingOf(entry: CatalogEntry): string | undefined {
  if (entry.kind === 'hosted') return undefined
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
