/**
 * Events over HTTP (docs.slack.dev/apis/events-api): signed with the secret of the app, and answered after they were taken.
 */
import type { Clock } from 'svc/sdk'
import { WebhookLock } from 'svc/sdk/kit/net'
import type { Storage } from 'svc/sdk/storage'
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
import { readSigned } from './signature.ts'

/** Older requests may be replayed recordings. */
const WINDOW_MS = 5 * 60_000
const MAX_BYTES = 4 * 2 ** 20

export interface EventsDeps {
  readonly http: Http
  readonly clock: Clock
  readonly config: Config
  readonly secret: string
  readonly storage: () => Storage
  /** Where it is remembered what was taken. */
  readonly file: string
  /** Rejects when it could not be taken: then it comes again. */
  take(type: string, payload: unknown): Promise<void>
  alive(): void
}

const challenge = z.object({ type: z.literal('url_verification'), challenge: z.string() })

/** Listens. */
export async function mountEvents(deps: EventsDeps): Promise<MountedApp> {
  const { config, clock, secret, storage, file } = deps
  const lock = new WebhookLock({
    ...{ secret: () => secret, read: readSigned, clock: () => clock, storage, file, windowMs: WINDOW_MS },
    // What was taken is not sent again after this.
    replayed: () => ({ status: 200, body: '' }),
  })
  const app: HttpApp = {
    name: 'slack',
    host: config.http_host,
    port: config.http_port,
    prefix: config.http_path,
    lock: lock.auth,
    routes: [
      {
        ...{ method: 'POST', path: '/events', maxBytes: MAX_BYTES },
        summary: 'Events, buttons and commands of Slack.',
        handle: lock.once((request) => handle(request, deps)),
      },
    ],
  }
  const mounted = await deps.http.mount(app)
  const close = async () => {
    await mounted.close()
    await lock.close()
  }
  return { ...mounted, close }
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
