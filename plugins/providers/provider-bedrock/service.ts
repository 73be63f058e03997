/**
 * Where Bedrock is. Addresses after https://docs.aws.amazon.com/general/latest/gr/bedrock.html, the key after
 * https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html.
 */
import { Clock, type PluginContext, Secrets } from 'svc/sdk'
import {
  apiKeyStatus,
  createModelFailure,
  endpointStatus,
  type ModelFailure,
  type ResolvedEndpoint,
  resolveEndpoint,
  type VendorEndpoint,
} from 'svc/sdk/provider'
import { type AccessKeys, findAccessKeys } from './access-keys.ts'
import { ChainCache, findChainSource } from './chain-keys.ts'
import { signedHeaders, type Unsigned } from './sign.ts'

export const NAME = 'bedrock'
export const LABEL = 'Amazon Bedrock'
export const KEY_NAMES = ['AWS_BEARER_TOKEN_BEDROCK'] as const

const USUAL_REGION = 'us-east-1'
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/

/** What of the plugin's context the provider needs. */
export type Deps = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

/** Bedrock as one call asks it. */
export interface BedrockService extends ResolvedEndpoint {
  /** The URL, the body and all headers of a request, signed now where there is no API key. */
  request(unsigned: Unsigned): {
    readonly url: string
    readonly headers: Record<string, string>
    readonly body?: string
  }
}

/** Bedrock as it is configured, with a key, or why it cannot be asked. */
export async function resolveService(deps: Deps): Promise<BedrockService | { readonly failure: ModelFailure }> {
  const vendor = resolveVendor(deps)
  if ('problem' in vendor) return { failure: createModelFailure('invalid', `${vendor.problem}.`) }
  const service = await resolveEndpoint(vendor, deps)
  if ('failure' in service) return service
  const { value } = service.key
  // Nothing in the variable's name tells that it holds a secret.
  if (value !== undefined) deps.use(Secrets).protect(value)
  const keys = value === undefined ? await findKeys(deps, vendor.region) : undefined
  if (keys && 'problem' in keys) return { failure: createModelFailure('auth', `${keys.problem}.`) }
  return keys ? signing(service, keys, vendor.region, deps) : { ...service, request: withKey(value) }
}

/** Of each kernel its own. */
const caches: WeakMap<Deps, ChainCache> = new WeakMap()

/** Keys that stand in variables or a profile, else those of the chain; undefined if nothing is configured. */
async function findKeys(deps: Deps, region: string): Promise<AccessKeys | { readonly problem: string } | undefined> {
  const keys = findAccessKeys(deps)
  if (keys && !('problem' in keys)) return keys
  const source = findChainSource(deps)
  if (source === undefined) return keys
  const cache = caches.get(deps) ?? new ChainCache()
  caches.set(deps, cache)
  return cache.take(deps, source, region)
}

/** Whether it can be called now, in the form of `ModelProvider.status`. */
export function serviceStatus(deps: Deps): { readonly ready: boolean; readonly detail: string } {
  const vendor = resolveVendor(deps)
  if ('problem' in vendor) return { ready: false, detail: vendor.problem }
  const { ready, detail } = endpointStatus(vendor, deps)
  if (ready) return { ready, detail: `${detail}, region ${vendor.region}` }
  // With a wrong address no key is of use.
  const isKeyMissing = detail === apiKeyStatus(NAME, KEY_NAMES, deps).detail
  const keys = isKeyMissing ? findAccessKeys(deps) : undefined
  const source = isKeyMissing ? findChainSource(deps) : undefined
  if (source !== undefined && (!keys || 'problem' in keys))
    return { ready: true, detail: `the credential chain of AWS is asked (${source}), region ${vendor.region}` }
  if (!keys) return { ready, detail }
  if ('problem' in keys) return { ready, detail: keys.problem }
  return { ready: true, detail: `requests are signed with ${keys.source}, region ${vendor.region}` }
}

/** Bedrock in the user's region, or a sentence that says why the region is invalid. */
export function resolveVendor(
  deps: Deps,
): (VendorEndpoint & { readonly region: string }) | { readonly problem: string } {
  const secrets = deps.use(Secrets)
  const region = secrets.get('AWS_REGION') ?? secrets.get('AWS_DEFAULT_REGION') ?? USUAL_REGION
  if (!REGION.test(region)) return { problem: `AWS_REGION is "${region}", which is no region such as ${USUAL_REGION}` }
  const domain = `${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`
  return {
    id: NAME,
    label: LABEL,
    keyNames: KEY_NAMES,
    address: `https://bedrock-runtime.${domain}`,
    addressName: 'BEDROCK_BASE_URL',
    hosts: [
      `bedrock-runtime.${domain}`,
      `bedrock-runtime-fips.${domain}`,
      `bedrock-runtime.${region}.vpce.amazonaws.com`,
    ],
    region,
  }
}

/** With an API key as bearer token, or without any. */
function withKey(key: string | undefined): BedrockService['request'] {
  return ({ url, headers, body }) => ({
    url,
    headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body }),
  })
}

/** To people the access key is the key: its id says which one was refused. */
function signing(service: ResolvedEndpoint, keys: AccessKeys, region: string, deps: Deps): BedrockService {
  return {
    ...service,
    key: { value: keys.id, variable: keys.source },
    request: (unsigned) => ({
      url: unsigned.url,
      headers: signedHeaders(unsigned, keys, { region, service: 'bedrock', now: deps.use(Clock).now() }),
      ...(unsigned.body === undefined ? {} : { body: unsigned.body }),
    }),
  }
}
