/** Where Gemini is and with which key; both are read again for every call. */
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

export const NAME = 'gemini'
export const LABEL = 'Gemini'
/** The first that is set is used. */
export const KEY_NAMES = ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] as const

const SETTING = 'providers.gemini.base_url'
const ADDRESS = 'https://generativelanguage.googleapis.com/v1beta'
const HOSTS = ['generativelanguage.googleapis.com']

/** What of the plugin's context the provider needs. */
export type Host = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

/** The service, ready to be asked. */
export interface Service {
  /** Without a slash at its end; requests add `/models/...`. */
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly key: ModelKey
  /** The config key that holds the address, when it is not the usual one. */
  readonly setting: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The service as it is configured, or why it cannot be asked. */
export async function resolveService(host: Host): Promise<Service | { readonly failure: ModelFailure }> {
  const problem = addressProblem(host)
  if (problem !== undefined)
    return { failure: modelFailure('invalid', `${problem}. Type \`svc config edit\` to change it.`) }
  const key = await takeModelKey(NAME, KEY_NAMES, keySource(host))
  if ('failure' in key) return key
  const own = key.credential?.baseUrl
  if (own !== undefined && !isAddress(own)) return { failure: refused(key, own) }
  const url = new URL(own ?? addressOf(host))
  const path = url.pathname.replace(/\/+$/, '')
  return {
    baseUrl: url.origin + (path === '' ? '/v1beta' : path),
    isLoopback: isLoopback(url),
    key,
    setting: own !== undefined || addressOf(host) === ADDRESS ? undefined : SETTING,
    headers: key.value === undefined ? {} : { 'x-goog-api-key': key.value },
  }
}

/** The sentence that says why the address cannot be used. */
export function addressProblem(host: Host): string | undefined {
  const address = addressOf(host)
  if (!URL.canParse(address)) return `${SETTING} is "${address}", which is not an address`
  const url = new URL(address)
  return mayHaveKey(url, HOSTS)
    ? undefined
    : `${SETTING} is ${url.origin}, but the key of ${LABEL} goes to https://${HOSTS[0]} only`
}

/** Where keys come from. */
export function keySource(host: Host): KeySource {
  return { pool: host.find(Credentials), secrets: host.use(Secrets) }
}

function addressOf(host: Host): string {
  const configured = host.use(Config).get(SETTING)
  return typeof configured === 'string' && configured.trim() !== '' ? configured.trim() : ADDRESS
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
