/** The `fetch` that openid-client asks a provider with: over the network of svc, bounded, without redirects. */
import { type Net, SvcError } from 'svc/sdk'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 2 ** 20

/** Rejects with `LOGIN_OIDC_UNREACHABLE` where no answer came that a provider at work would give. */
export function createProviderFetch(net: () => Net, name: string) {
  return async (url: string, options: { method: string; headers: Record<string, string>; body?: unknown }) => {
    const { method, headers, body } = options
    const text = body === undefined || body === null ? undefined : String(body)
    try {
      const answer = await net().request({
        ...{ url, method, headers, timeoutMs: TIMEOUT_MS, idleMs: TIMEOUT_MS },
        ...(text !== undefined && { body: text }),
      })
      const said = await answer.text(MAX_BYTES)
      if (answer.status >= 500) throw new Error(`it answered with status ${answer.status}`)
      return new Response(said === '' ? null : said, { status: answer.status, headers: answer.headers })
    } catch (error) {
      throw new SvcError('LOGIN_OIDC_UNREACHABLE', `${name} does not answer. Try again, or sign in with a password.`, {
        status: 503,
        cause: error,
      })
    }
  }
}
