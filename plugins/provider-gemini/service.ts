/** Where Gemini is and with which key; both are read again for every call. */
import { Config, isLoopback, mayHaveKey, type PluginContext, Secrets } from 'svc/sdk'

export const LABEL = 'Gemini'

/** The first that is set is used. */
const KEY_NAMES = ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] as const
const SETTING = 'providers.gemini.base_url'
const ADDRESS = 'https://generativelanguage.googleapis.com/v1beta'
const HOSTS = ['generativelanguage.googleapis.com']

/** What of the plugin's context the provider needs. */
export type Host = Pick<PluginContext<unknown>, 'use' | 'log'>

/** The service, ready to be asked. */
export interface Service {
  /** Without a slash at its end; requests add `/models/...`. */
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly key: string | undefined
  readonly keyName: string
  /** The config key that holds the address, when it is not the usual one. */
  readonly setting: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The variable that is set, else the one to set. */
export function keyNameOf(host: Host): string {
  return KEY_NAMES.find((name) => host.use(Secrets).source(name) !== undefined) ?? KEY_NAMES[0]
}

/** The service as it is configured, or the sentence that says why it cannot be. */
export function resolveService(host: Host): Service | { readonly problem: string } {
  const configured = host.use(Config).get(SETTING)
  const address = typeof configured === 'string' && configured.trim() !== '' ? configured.trim() : ADDRESS
  if (!URL.canParse(address)) return { problem: `${SETTING} is "${address}", which is not an address` }
  const url = new URL(address)
  if (!mayHaveKey(url, HOSTS))
    return { problem: `${SETTING} is ${url.origin}, but the key of ${LABEL} goes to https://${HOSTS[0]} only` }
  const keyName = keyNameOf(host)
  const key = host.use(Secrets).get(keyName)
  const path = url.pathname.replace(/\/+$/, '')
  return {
    baseUrl: url.origin + (path === '' ? '/v1beta' : path),
    isLoopback: isLoopback(url),
    key,
    keyName,
    setting: address === ADDRESS ? undefined : SETTING,
    headers: key === undefined ? {} : { 'x-goog-api-key': key },
  }
}
