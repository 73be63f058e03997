/** A platform whose service calls a webhook with what people write, and has an HTTP API for what they are answered. */
import { type Http, type HttpRequest, type HttpResponse, jsonResponse } from '../../http.ts'
import type { Logger } from '../../plugin.ts'
import type { OpenConnection } from './described-platform.ts'
import type {
  ConnectedContext,
  DescribedMessage,
  DescribedSettings,
  PlatformContext,
  PlatformDescription,
} from './description.ts'

/** The settings that every platform of this kind has. @since 0.2 */
export interface WebhookSettings extends DescribedSettings {
  readonly webhook_host: string
  readonly webhook_port: number
}

/** Where calls come in, and from whom. @since 0.2 */
export interface WebhookDoor {
  readonly host?: string
  readonly port?: number
  /** Calls are taken without asking `isGenuine`, and a warning is logged. */
  readonly isOpen?: boolean
}

/** Its description: data, and the mapping between the service and svc. @since 0.2 */
export interface WebhookPlatform<Me, Settings extends WebhookSettings = WebhookSettings>
  extends PlatformDescription<Me, Settings> {
  /** Default port of the webhook. */
  readonly port: number
  /** Where the service calls, such as `/webhooks/line`. */
  readonly path: string
  /** Bytes of a call (default 1 MiB). */
  readonly maxBytes?: number
  /** Where it differs from the settings, and from demanding a proof; throws `deliveryRefused` if settings contradict each other. */
  door?(context: PlatformContext<Settings>): WebhookDoor
  /** Whether the service has made this call. Compare with `matchesSignature` or `isSameSecret`, or read it with `SignedTokens` of `svc/sdk/kit/net`. */
  isGenuine(request: HttpRequest, context: PlatformContext<Settings>): boolean | Promise<boolean>
  /** The messages of a call; undefined if it is malformed. What needs no answer is left out. */
  read(request: HttpRequest, me: Me, context: ConnectedContext<Me, Settings>): readonly DescribedMessage[] | undefined
  /**
   * The reply to a call that brings no message, such as a check of the address; undefined for any other. With `checks` it is asked for
   * GET requests, too, which have the same path and lock.
   */
  reply?(request: HttpRequest, context: PlatformContext<Settings>): HttpResponse | undefined
  readonly checks?: true
  /** What the service expects of a call that was taken (default: 200 with an empty JSON object). */
  readonly taken?: HttpResponse
  /** The same, where it is not always the same: asked once all messages of the call are stored. It may wait for what is to be said. */
  respond?(request: HttpRequest, context: ConnectedContext<Me, Settings>): Promise<HttpResponse>
}

const MAX_BYTES = 2 ** 20

/** Listens for the calls of the service. */
export async function openWebhook<Me, Settings extends WebhookSettings>(
  about: WebhookPlatform<Me, Settings>,
  connection: OpenConnection<Me, Settings>,
  { http, log }: { readonly http: Http; readonly log: Logger },
): Promise<() => Promise<void>> {
  const { name, path, maxBytes = MAX_BYTES } = about
  const { context } = connection
  const { webhook_host, webhook_port } = context.settings
  const { host = webhook_host, port = webhook_port, isOpen = false } = about.door?.(context) ?? {}
  if (isOpen) log.warn('messages are accepted without a signature: any client that reaches this port can send them')
  const check = async (request: HttpRequest) => about.reply?.(request, context) ?? { status: 404 }
  const mounted = await http.mount({
    ...{ name, host, port, prefix: '' },
    lock: isOpen ? { kind: 'public' } : { kind: 'signed', check: (request) => about.isGenuine(request, context) },
    routes: [
      { method: 'POST', path, maxBytes, handle: (request) => take(about, connection, { request, log }) },
      ...(about.checks ? [{ method: 'GET', path, handle: check } as const] : []),
      { method: 'GET', path: '/health', lock: { kind: 'public' }, handle: async () => ({ body: 'ok' }) },
    ],
  })
  return async () => mounted.close()
}

/** A call is acknowledged once all of its messages are stored, never earlier. */
async function take<Me, Settings extends WebhookSettings>(
  about: WebhookPlatform<Me, Settings>,
  { link, me, context, signal }: OpenConnection<Me, Settings>,
  { request, log }: { readonly request: HttpRequest; readonly log: Logger },
): Promise<HttpResponse> {
  if (signal.aborted) return jsonResponse({ error: 'Not connected.' }, 503)
  link.alive()
  const reply = about.reply?.(request, context)
  if (reply) return reply
  const messages = about.read(request, me, context)
  if (!messages) return jsonResponse({ error: `This is no call of ${about.label}.` }, 400)
  try {
    for (const message of messages) await link.receive({ platform: about.name, ...message })
  } catch (error) {
    log.warn(`a message could not be taken; ${about.label} is asked to send it again`, { error: String(error) })
    return jsonResponse({ error: 'Not taken; send it again.' }, 503)
  }
  return about.respond?.(request, context) ?? about.taken ?? jsonResponse({})
}
