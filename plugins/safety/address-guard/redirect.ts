/** Redirects as fetch follows them (https://fetch.spec.whatwg.org/#http-redirect-fetch). */
import type { NetRequest, NetResponse } from 'svc/sdk'
import { encodeJsonBody } from 'svc/sdk/kit/net'

/** Headers that are for one origin only. */
const forOneOrigin = /^(cookie2?|host)$|auth|key|token|secret|credential|password/i

/** Headers that speak of a body. */
const ofBody = /^content-|^transfer-encoding$/i

/** Where an answer sends to; undefined when it is an answer. */
export function findRedirect({ status, headers }: NetResponse, url: URL): string | undefined {
  const location = headers['location']
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  // An invalid address is passed on unchanged and refused as such.
  return URL.canParse(location, url.href) ? new URL(location, url.href).href : location
}

/** The request that follows one that was answered with a redirect. */
export function createRedirectedRequest(request: NetRequest, from: URL, to: string, status: number): NetRequest {
  const { body, ...rest } = encodeJsonBody(request)
  const method = (rest.method ?? 'GET').toUpperCase()
  const becomesGet = status === 303 ? method !== 'GET' && method !== 'HEAD' : status <= 302 && method === 'POST'
  const leaves = !URL.canParse(to) || new URL(to).origin !== from.origin
  const kept = Object.entries(rest.headers ?? {}).filter(([name]) => {
    return !(becomesGet && ofBody.test(name)) && !(leaves && forOneOrigin.test(name))
  })
  const sent = becomesGet || body === undefined ? {} : { body }
  return { ...rest, ...sent, method: becomesGet ? 'GET' : method, headers: Object.fromEntries(kept), url: to }
}
