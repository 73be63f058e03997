/**
 * Where Bedrock is. Addresses after https://docs.aws.amazon.com/general/latest/gr/bedrock.html, the key after
 * https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html.
 */
import {
  type ModelFailure,
  type ModelService,
  type ModelVendor,
  modelFailure,
  type PluginContext,
  resolveModelService,
  Secrets,
} from 'svc/sdk'

export const NAME = 'bedrock'
export const LABEL = 'Amazon Bedrock'
export const KEY_NAMES = ['AWS_BEARER_TOKEN_BEDROCK'] as const

const USUAL_REGION = 'us-east-1'
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/

/** What of the plugin's context the provider needs. */
export type Host = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

/** Bedrock as it is configured, with a key, or why it cannot be asked. */
export async function resolveService(host: Host): Promise<ModelService | { readonly failure: ModelFailure }> {
  const vendor = vendorOf(host)
  if ('problem' in vendor) return { failure: modelFailure('invalid', `${vendor.problem}.`) }
  const service = await resolveModelService(vendor, host)
  // Nothing in the variable's name tells that it holds a secret.
  if ('key' in service && service.key.value !== undefined) host.use(Secrets).protect(service.key.value)
  return service
}

/** Bedrock in the user's region, or the sentence that says why that is none. */
export function vendorOf(host: Host): (ModelVendor & { readonly region: string }) | { readonly problem: string } {
  const secrets = host.use(Secrets)
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

/** What every request carries. */
export function headersOf({ key }: ModelService): Record<string, string> {
  return key.value === undefined ? {} : { authorization: `Bearer ${key.value}` }
}
