/** Where Anthropic is and with which key; both are read again for every call. */
import { Config, isLoopback, mayHaveKey, type PluginContext, Secrets } from 'svc/sdk'

export const KEY_NAME = 'ANTHROPIC_API_KEY'
export const LABEL = 'Anthropic'

const SETTING = 'providers.anthropic.base_url'
const ADDRESS = 'https://api.anthropic.com'
const HOSTS = ['api.anthropic.com']
/** https://docs.anthropic.com/en/api/versioning */
const VERSION = '2023-06-01'

/** What of the plugin's context the provider needs. */
export type Host = Pick<PluginContext<unknown>, 'use' | 'log'>

/** The service, ready to be asked. */
export interface Service {
  /** Without a slash at its end; requests add `/v1/messages`. */
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly key: string | undefined
  /** The config key that holds the address, when it is not the usual one. */
  readonly setting: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The service as it is configured, or the sentence that says why it cannot be. */
export function resolveService(host: Host): Service | { readonly problem: string } {
  const configured = host.use(Config).get(SETTING)
  const address = typeof configured === 'string' && configured.trim() !== '' ? configured.trim() : ADDRESS
  if (!URL.canParse(address)) return { problem: `${SETTING} is "${address}", which is not an address` }
  const url = new URL(address)
  if (!mayHaveKey(url, HOSTS))
    return { problem: `${SETTING} is ${url.origin}, but the key of ${LABEL} goes to https://${HOSTS[0]} only` }
  const key = host.use(Secrets).get(KEY_NAME)
  return {
    baseUrl: url.origin + url.pathname.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, ''),
    isLoopback: isLoopback(url),
    key,
    setting: address === ADDRESS ? undefined : SETTING,
    headers: { 'anthropic-version': VERSION, ...(key === undefined ? {} : { 'x-api-key': key }) },
  }
}
