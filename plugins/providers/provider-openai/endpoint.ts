/** Where requests go and with which key. A key is only ever joined to the address it belongs to. */
import { Config, type PluginContext, Secrets } from 'svc/sdk'
import {
  acquireApiKey,
  createModelFailure,
  isKeyAllowedAt,
  isLoopback,
  type ModelFailure,
  type ResolvedEndpoint,
} from 'svc/sdk/provider'
import type { CatalogEntry } from './catalog.ts'
import type { Config as ProvidersConfig, ServiceConfig } from './config.ts'
import { type HostedEntry, type ModelWire, prefersResponses, vendors } from './vendors.ts'

/** What of the plugin's context the providers need. */
export type Deps = Pick<PluginContext<ProvidersConfig>, 'use' | 'find' | 'config' | 'log'>

/** One server, ready to be asked. `{model}` in its address stands for the model. */
export interface Endpoint extends ResolvedEndpoint {
  readonly entry: CatalogEntry
  /** `?api-version=...` of some services; kept behind the path. */
  readonly query: string
  readonly wire: 'chat' | 'responses'
  readonly extraHeaders: Readonly<Record<string, string>>
  readonly extraBody: Readonly<Record<string, unknown>>
}

/** An address that cannot be used: why, and the sentence that says what to type. */
export interface BadAddress {
  readonly problem: string
  readonly advice: string
}

/** Keys of vendors that other plugins ask, and the only hosts that may have them. */
const OTHER_KEYS: Readonly<Record<string, readonly string[]>> = {
  ANTHROPIC_API_KEY: ['api.anthropic.com'],
  ANTHROPIC_TOKEN: ['api.anthropic.com'],
  CLAUDE_CODE_OAUTH_TOKEN: ['api.anthropic.com'],
  GEMINI_API_KEY: ['generativelanguage.googleapis.com'],
  GOOGLE_API_KEY: ['generativelanguage.googleapis.com'],
}

/**
 * The endpoint of an entry now, with the key of a variable. `address` replaces the entry's own, for servers looked for at
 * several.
 */
export function resolveEndpoint(entry: CatalogEntry, deps: Deps, address?: string): Endpoint | BadAddress {
  const { addresses, setting, isUsual } = findAddressPlace(entry, deps)
  const parsed = parseAddress(address ?? addresses[0] ?? '', setting)
  if ('problem' in parsed) return parsed
  const { url, path } = parsed
  const { keyName: variable } = entry
  const owner = findKeyOwner(entry, variable)
  if (owner && !isKeyAllowedAt(url, owner.hosts)) return foreignHost(url, owner, setting)
  return {
    ...endpointAt(entry, { url, path }, deps),
    key: { value: variable === undefined ? undefined : deps.use(Secrets).get(variable), variable },
    setting: entry.kind === 'hosted' && isUsual ? undefined : setting,
  }
}

/**
 * The same with the key of one call. A key that was kept together with an address of its own goes there, and nowhere
 * else: there has to be no other address then.
 */
export async function keyedEndpoint(
  entry: CatalogEntry,
  deps: Deps,
  address?: string,
): Promise<Endpoint | { readonly failure: ModelFailure }> {
  const key = readTrialKey(entry) ?? (await acquireApiKey(entry.id, listKeyNames(entry), deps))
  if ('failure' in key) return key
  const own = key.credential?.baseUrl
  const parsed = own === undefined ? undefined : parseAddress(own, undefined)
  const endpoint =
    parsed && !('problem' in parsed)
      ? { ...endpointAt(entry, parsed, deps), setting: undefined }
      : resolveEndpoint(entry, deps, address)
  if (!('problem' in endpoint)) return { ...endpoint, key }
  key.credential?.failed(createModelFailure('aborted', endpoint.problem))
  return { failure: createModelFailure('invalid', `${endpoint.problem}. ${endpoint.advice}`) }
}

function readTrialKey(entry: CatalogEntry): ResolvedEndpoint['key'] | undefined {
  const key = entry.kind === 'custom' ? entry.trialKey : undefined
  return key === undefined ? undefined : { value: key, variable: undefined }
}

/** Where an entry may be found, best first; empty when the user has not said. */
export function findAddresses(entry: CatalogEntry, deps: Deps): readonly string[] {
  return findAddressPlace(entry, deps).addresses
}

/** The variables that may hold the key, the usual one first. */
export function listKeyNames(entry: CatalogEntry): readonly string[] {
  const others = entry.kind === 'hosted' ? (entry.otherKeyNames ?? []) : []
  return entry.keyName === undefined ? others : [entry.keyName, ...others]
}

/** The URL of an API path, with the headers that every request carries. */
export function requestTo(
  { entry, key, baseUrl, query, extraHeaders }: Endpoint,
  path: string,
  model = '',
): { url: string; headers: Record<string, string> } {
  const url = baseUrl.replace('{model}', encodeURIComponent(model)) + path + query
  if (key.value === undefined) return { url, headers: { ...extraHeaders } }
  const { headers, accountHeader, keyHeader }: Partial<HostedEntry> = entry.kind === 'hosted' ? entry : {}
  const { account, type } = key.credential ?? {}
  // The token of a sign-in is a bearer token everywhere: RFC 6750, section 2.1.
  const isOwn = keyHeader !== undefined && type !== 'oauth'
  return {
    url,
    headers: {
      ...headers,
      ...(accountHeader !== undefined && account !== undefined ? { [accountHeader]: account } : {}),
      [isOwn ? keyHeader : 'authorization']: isOwn ? key.value : `Bearer ${key.value}`,
      ...extraHeaders,
    },
  }
}

/** What the user says of the entry in `providers`. */
export function getSettings(entry: CatalogEntry, deps: Deps): ServiceConfig {
  return deps.config[getBlockName(entry)] ?? {}
}

function getBlockName(entry: CatalogEntry): string {
  return entry.kind === 'custom' ? (entry.block ?? entry.id) : entry.id
}

function endpointAt(entry: CatalogEntry, { url, path }: { url: URL; path: string }, deps: Deps) {
  const { extra_headers, extra_body } = getSettings(entry, deps)
  return {
    entry,
    baseUrl: url.origin + wholePath(entry, path, deps),
    query: createQuery(entry, url, deps),
    isLoopback: isLoopback(url),
    wire: chooseWire(entry, url, deps),
    extraHeaders: extra_headers ?? {},
    extraBody: extra_body ?? {},
  }
}

function chooseWire(entry: CatalogEntry, url: URL, deps: Deps): Endpoint['wire'] {
  const own = getSettings(entry, deps).api_mode ?? 'auto'
  const mode = entry.id === 'custom' && own === 'auto' ? deps.use(Config).get('model.api_mode') : own
  if (mode === 'responses' || mode === 'codex_responses') return 'responses'
  const isOwn = entry.kind === 'hosted' && entry.wire === 'responses' && entry.hosts.includes(url.hostname)
  return mode !== 'chat_completions' && (isOwn || prefersResponses(url.hostname)) ? 'responses' : 'chat'
}

/** How a model is asked that its service offers in another way than others; what the user says wins. */
export function findModelWire(entry: CatalogEntry, deps: Deps, model: string): ModelWire | undefined {
  const { api_mode = 'auto' } = getSettings(entry, deps)
  if (entry.kind !== 'hosted' || api_mode !== 'auto') return undefined
  return entry.modelWires?.find(({ models }) => models.test(model))
}

interface AddressChoice {
  readonly addresses: readonly string[]
  /** Where the user says it. */
  readonly setting: string
  /** The user has said nothing. */
  readonly isUsual: boolean
}

function findAddressPlace(entry: CatalogEntry, deps: Deps): AddressChoice {
  if (entry.kind === 'custom' && entry.place) return createChoice(entry.place.address, entry.place.setting)
  if (entry.id === 'custom') {
    const configured = deps.use(Config).get('model.base_url')
    return createChoice(typeof configured === 'string' ? configured : '', 'model.base_url')
  }
  const setting = `providers.${getBlockName(entry)}.base_url`
  const configured = getSettings(entry, deps).base_url?.trim() ?? ''
  if (configured !== '') return createChoice(configured, setting)
  const { addressName } = entry
  const fromVariable = addressName === undefined ? undefined : deps.use(Secrets).get(addressName)
  if (addressName !== undefined && fromVariable !== undefined) return createChoice(fromVariable, addressName)
  if (entry.kind === 'local') return { addresses: entry.addresses, setting, isUsual: true }
  return { ...createChoice((entry.kind === 'hosted' && entry.address) || '', setting), isUsual: true }
}

function createChoice(address: string, setting: string): AddressChoice {
  return { addresses: address.trim() === '' ? [] : [address], setting, isUsual: false }
}

/** Who the key belongs to, when that is a vendor. */
function findKeyOwner(
  entry: CatalogEntry,
  keyName: string | undefined,
): Pick<HostedEntry, 'label' | 'hosts'> | undefined {
  if (entry.kind === 'hosted') return entry
  if (keyName === undefined) return undefined
  const hosts = OTHER_KEYS[keyName]
  return hosts ? { label: keyName, hosts } : vendors.find((vendor) => listKeyNames(vendor).includes(keyName))
}

function foreignHost(url: URL, { label, hosts }: Pick<HostedEntry, 'label' | 'hosts'>, setting: string): BadAddress {
  return {
    problem: `${setting} is ${url.origin}, but the key of ${label} goes to https://${hosts[0]} only`,
    advice: `For another server: \`svc config set model.provider custom\` and \`svc config set model.base_url ${url.origin}${url.pathname}\`.`,
  }
}

function wholePath(entry: CatalogEntry, path: string, deps: Deps): string {
  if (entry.kind === 'local') return `${path.replace(/\/v1$/, '')}/v1`
  if (entry.kind === 'custom' || path !== '') return path
  const isVersioned = /^\d/.test(getSettings(entry, deps).api_version ?? '')
  return (isVersioned ? entry.versionedPath : undefined) ?? entry.usualPath ?? ''
}

function createQuery(entry: CatalogEntry, { search, searchParams }: URL, deps: Deps): string {
  const version = getSettings(entry, deps).api_version ?? ''
  if (version === '' || searchParams.has('api-version')) return search
  return `${search === '' ? '?' : `${search}&`}api-version=${encodeURIComponent(version)}`
}

/** Forgives a slash at the end and an address that was copied together with the path of what answers. */
type Address = { readonly url: URL; readonly path: string } | BadAddress

/** Every call asks, nearly always for the same. */
const addresses = new Map<string, Address>()
const MAX_ADDRESSES = 100

function parseAddress(text: string, setting: string | undefined): Address {
  const key = `${setting} ${text}`
  const address = addresses.get(key) ?? readAddress(text, setting)
  if (addresses.size >= MAX_ADDRESSES) addresses.clear()
  addresses.set(key, address)
  return address
}

function readAddress(text: string, setting: string | undefined): Address {
  const address = text.trim()
  const advice = `Type \`svc config set ${setting} http://host:port/v1\`.`
  if (address === '') return { problem: `${setting} is not set`, advice }
  if (!/^https?:\/\//i.test(address))
    return { problem: `${setting} is "${address}", but it must begin with http:// or https://`, advice }
  if (!URL.canParse(address)) return { problem: `${setting} is "${address}", which is not an address`, advice }
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    return { problem: `${setting} has a user name or password in it; keys belong into .env`, advice }
  return { url, path: url.pathname.replace(/\/(chat\/completions|responses)\/?$/, '').replace(/\/+$/, '') }
}
