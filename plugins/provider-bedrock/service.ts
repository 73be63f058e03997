/**
 * Where Bedrock is and with which key; both are read again for every call. Addresses after
 * https://docs.aws.amazon.com/general/latest/gr/bedrock.html, the key after
 * https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html.
 */
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

export const NAME = 'bedrock'
export const LABEL = 'Amazon Bedrock'
export const KEY_NAMES = ['AWS_BEARER_TOKEN_BEDROCK'] as const

const SETTING = 'providers.bedrock.base_url'
const ADDRESS_NAME = 'BEDROCK_BASE_URL'
const USUAL_REGION = 'us-east-1'
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/

/** What of the plugin's context the provider needs. */
export type Host = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

/** Where it is. */
interface Place {
  readonly url: URL
  readonly region: string
  /** What holds the address, when it is not the usual one. */
  readonly setting: string | undefined
}

/** The service, ready to be asked. */
export interface Service {
  /** Of the runtime, without a slash at its end; requests add `/model/...`. */
  readonly baseUrl: string
  /** Of the control plane, where models are listed. */
  readonly controlUrl: string
  readonly isLoopback: boolean
  readonly key: ModelKey
  readonly setting: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The service as it is configured, or why it cannot be asked. */
export async function resolveService(host: Host): Promise<Service | { readonly failure: ModelFailure }> {
  const place = placeOf(host)
  if ('problem' in place) return { failure: modelFailure('invalid', `${place.problem}.`) }
  const key = await takeModelKey(NAME, KEY_NAMES, keySource(host))
  if ('failure' in key) return key
  // Nothing in the variable's name tells that it holds a secret.
  if (key.value !== undefined) host.use(Secrets).protect(key.value)
  const own = key.credential?.baseUrl
  if (own !== undefined && !isAddress(own)) return { failure: refused(key, own) }
  const url = own === undefined ? place.url : new URL(own)
  const baseUrl = url.origin + url.pathname.replace(/\/+$/, '')
  return {
    baseUrl,
    controlUrl: baseUrl.replace('://bedrock-runtime', '://bedrock'),
    isLoopback: isLoopback(url),
    key,
    setting: own === undefined ? place.setting : undefined,
    headers: key.value === undefined ? {} : { authorization: `Bearer ${key.value}` },
  }
}

/** The address, or the sentence that says why it cannot be used. */
export function placeOf(host: Host): Place | { readonly problem: string } {
  const secrets = host.use(Secrets)
  const region = secrets.get('AWS_REGION') ?? secrets.get('AWS_DEFAULT_REGION') ?? USUAL_REGION
  if (!REGION.test(region)) return { problem: `AWS_REGION is "${region}", which is no region such as ${USUAL_REGION}` }
  const domain = `${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`
  const { address, setting } = configured(host) ?? { address: `https://bedrock-runtime.${domain}`, setting: undefined }
  if (!URL.canParse(address)) return { problem: `${setting} is "${address}", which is not an address` }
  const url = new URL(address)
  const hosts = ['bedrock-runtime', 'bedrock-runtime-fips'].map((service) => `${service}.${domain}`)
  const vpc = `bedrock-runtime.${region}.vpce.amazonaws.com`
  return mayHaveKey(url, [...hosts, vpc])
    ? { url, region, setting }
    : { problem: `${setting} is ${url.origin}, but the key of ${LABEL} goes to https://${hosts[0]} only` }
}

function configured(host: Host): { readonly address: string; readonly setting: string } | undefined {
  const variable = host.use(Secrets).get(ADDRESS_NAME)
  if (variable !== undefined) return { address: variable.trim(), setting: ADDRESS_NAME }
  const key = host.use(Config).get(SETTING)
  return typeof key === 'string' && key.trim() !== '' ? { address: key.trim(), setting: SETTING } : undefined
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
