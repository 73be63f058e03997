/** A route as plugins describe it, as the server mounts it. */
import { logFault, Random, SvcError } from 'svc/sdk'
import type { ApiRoute, HttpRequest, HttpResponse, HttpRoute } from 'svc/sdk/web'
import { type Api, readScope } from './api.ts'
import { addRequestId, readBody, readQuery } from './envelope.ts'

/** With pictures; content other than images has a lower limit, see `readBody`. */
export const MAX_BYTES = 10_000_000

/** Those of POST are worked on once for each idempotency key. */
export function mountedRoute(api: Api, route: ApiRoute): HttpRoute {
  const { method, path, summary, lock, query, body, response } = route
  const work = (http: HttpRequest, signal: AbortSignal) => answer(api, route, http, signal)
  return {
    method,
    path,
    summary: summary ?? `${method} ${path}`,
    maxBytes: route.maxBytes ?? MAX_BYTES,
    ...(lock && { lock }),
    ...(query && { query }),
    ...(body && { request: body }),
    ...(response && { response }),
    handle: async (http) => {
      const reply = method === 'POST' ? await api.idempotency.once(http, work) : await work(http, http.signal)
      return addRequestId(requestId(api), reply)
    },
  }
}

async function answer(
  { ctx }: Pick<Api, 'ctx'>,
  route: ApiRoute,
  http: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  try {
    const query = route.query ? await readQuery(http, route.query) : {}
    const body = route.body && (await readBody(http, route.body))
    return await route.handle({ http, query, body, scope: readScope(http), signal })
  } catch (error) {
    // What is wrong with the request is the client's; anything else has the words of the server.
    if (!route.failure || !(error instanceof SvcError) || error.status >= 500) throw error
    logFault(ctx.log, 'a request was refused', error)
    return route.failure(error)
  }
}

/** Clients show it with a failure. */
export function requestId({ ctx }: Pick<Api, 'ctx'>): string {
  return `req_${ctx.use(Random).hex(16)}`
}
