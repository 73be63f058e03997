/** The endpoint of a provider of another plugin, as a wire calls it. */
import { isLoopback } from '../../model-address.ts'
import type { ModelCallSpec } from '../../model-call.ts'
import { createModelFailure } from '../../model-failure.ts'
import type { ResolvedEndpoint } from '../../model-service.ts'
import type { ModelFailure } from '../../providers.ts'
import type { WireEndpoint } from '../../wires.ts'

/**
 * The address and key of an endpoint, or the failure that a call ends with: for plugins that provide a wire. Of a key, only its
 * owner knows where it belongs, but it is never sent in the clear to another machine.
 * @since 0.2
 */
export function toResolvedEndpoint({
  label,
  baseUrl,
  key,
}: WireEndpoint): ResolvedEndpoint | { readonly failure: ModelFailure } {
  const modelKey = typeof key === 'object' ? key : { value: key, variable: undefined }
  const fail = (message: string) => ({ failure: createModelFailure('invalid', message) })
  if (!URL.canParse(baseUrl)) return fail(`The address of ${label} is "${baseUrl}", which is not an address.`)
  const url = new URL(baseUrl)
  if (modelKey.value !== undefined && url.protocol !== 'https:' && !isLoopback(url))
    return fail(`The address of ${label} is ${url.origin}: a key is sent by HTTPS or to this machine only.`)
  const address = url.origin + url.pathname.replace(/\/+$/, '')
  return { baseUrl: address, isLoopback: isLoopback(url), key: modelKey, setting: undefined }
}

/** A call with the differences of an endpoint: for plugins that provide a wire. @since 0.2 */
export function adaptCall(call: ModelCallSpec, { headers, body, errors = [] }: WireEndpoint): ModelCallSpec {
  return {
    ...call,
    errors: { ...call.errors, rules: [...errors, ...(call.errors.rules ?? [])] },
    post(request) {
      const posted = call.post(request)
      const fields = body?.(JSON.parse(String(posted.body)) as Record<string, unknown>, request)
      return {
        ...posted,
        headers: { ...posted.headers, ...headers?.(request) },
        ...(fields && { body: JSON.stringify(fields) }),
      }
    },
  }
}
