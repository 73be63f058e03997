/**
 * Events over HTTP (docs.slack.dev/apis/events-api, .../authentication/verifying-requests-from-slack): signed with the
 * app's secret over the time and the body, and answered after they were taken.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from 'svc/sdk'
import {
  type Http,
  type HttpApp,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type MountedApp,
} from 'svc/sdk/web'
import { z } from 'zod'
import type { Config } from './config.ts'

/** Older requests may be replayed recordings. */
const WINDOW_MS = 5 * 60_000
const MAX_BYTES = 4 * 2 ** 20

export interface EventsDeps {
  readonly http: Http
  readonly clock: Clock
  readonly config: Config
  readonly secret: string
  /** Rejects when it could not be taken: then it comes again. */
  take(type: string, payload: unknown): Promise<void>
  alive(): void
}

const challenge = z.object({ type: z.literal('url_verification'), challenge: z.string() })

/** Listens. */
export function mountEvents(deps: EventsDeps): Promise<MountedApp> {
  const { config, clock, secret } = deps
  const app: HttpApp = {
    name: 'slack',
    host: config.http_host,
    port: config.http_port,
    prefix: config.http_path,
    lock: { kind: 'signed', check: (request) => isSigned(request, secret, clock.now()) },
    routes: [
      {
        ...{ method: 'POST', path: '/events', maxBytes: MAX_BYTES },
        summary: 'Events, buttons and commands of Slack.',
        handle: (request) => handle(request, deps),
      },
    ],
  }
  return deps.http.mount(app)
}

/** `v0=` and the HMAC-SHA256 of `v0:time:body`. */
export function isSigned({ headers, body }: HttpRequest, secret: string, now: number): boolean {
  const time = headers['x-slack-request-timestamp'] ?? ''
  const given = Buffer.from(headers['x-slack-signature'] ?? '')
  if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > WINDOW_MS) return false
  const digest = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex')
  const wanted = Buffer.from(`v0=${digest}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** Without a 200 within three seconds Slack sends it again, three times in about an hour. */
async function handle(request: HttpRequest, deps: EventsDeps): Promise<HttpResponse> {
  deps.alive()
  const read = parsePayload(request)
  if (!read) return { status: 400, body: 'This is no event of Slack.' }
  const asked = challenge.safeParse(read.payload).data
  if (asked) return jsonResponse({ challenge: asked.challenge })
  try {
    await deps.take(read.type, read.payload)
    return { status: 200, body: '' }
  } catch {
    return { status: 503, body: 'It was not taken. Please send it again.' }
  }
}

/** Events are JSON; buttons are a form with a `payload` of JSON, commands a form. */
function parsePayload({
  headers,
  body,
}: HttpRequest): { readonly type: string; readonly payload: unknown } | undefined {
  const text = Buffer.from(body).toString('utf8')
  try {
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return { type: 'events_api', payload: JSON.parse(text) }
    }
    const form = new URLSearchParams(text)
    const payload = form.get('payload')
    if (payload !== null) return { type: 'interactive', payload: JSON.parse(payload) }
    return { type: 'slash_commands', payload: Object.fromEntries(form) }
  } catch {
    return undefined
  }
}
