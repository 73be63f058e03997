/** Where Meta calls: the handshake that sets the webhook up, and the events, each call signed. */
import type { Dispose } from 'svc/sdk'
import { isSameSecret } from 'svc/sdk/kit/net'
import type { GatewayConnection, InboundMessage } from 'svc/sdk/platform'
import { type HttpRequest, type HttpResponse, jsonResponse, parseJsonBody } from 'svc/sdk/web'
import type { WhatsAppDeps } from './deps.ts'
import { readEvents, type Undelivered } from './events.ts'
import { isEcho } from './prefix.ts'
import { isSigned } from './signature.ts'

/** Calls hold many events and are this large at most. */
const MAX_BYTES = 3 * 2 ** 20

export interface DoorPlan {
  readonly parts: WhatsAppDeps
  readonly numberId: string
  readonly prefix: string
  readonly link: GatewayConnection
  /** A message is safe. */
  taken(message: InboundMessage): void
}

/** While it is open. */
export interface OpenWebhook {
  close: Dispose
}

export async function openWebhook(plan: DoorPlan): Promise<OpenWebhook> {
  const { settings, secrets, http } = plan.parts
  const get = (name: string) => secrets().get(name)
  const path = get('WHATSAPP_CLOUD_WEBHOOK_PATH') ?? settings.webhook_path
  let isOpen = true
  const handle = async (request: HttpRequest) =>
    isOpen ? takeCall(plan, request) : jsonResponse({ error: 'Closed.' }, 503)
  const signed = ({ body, headers }: HttpRequest) =>
    isSigned(get('WHATSAPP_CLOUD_APP_SECRET') ?? '', body, headers['x-hub-signature-256'])
  const mounted = await http().mount({
    name: 'whatsapp',
    host: get('WHATSAPP_CLOUD_WEBHOOK_HOST') ?? settings.webhook_host,
    port: Number(get('WHATSAPP_CLOUD_WEBHOOK_PORT') ?? settings.webhook_port),
    prefix: '',
    lock: { kind: 'signed', check: signed },
    routes: [
      { method: 'POST', path, maxBytes: MAX_BYTES, handle },
      {
        method: 'GET',
        path,
        lock: {
          kind: 'signed',
          check: (request) => knowsWord(request, get('WHATSAPP_CLOUD_VERIFY_TOKEN') ?? ''),
          status: 403,
        },
        handle: async ({ query }) => ({
          headers: { 'content-type': 'text/plain; charset=utf-8' },
          body: query.get('hub.challenge') ?? '',
        }),
      },
      { method: 'GET', path: '/health', lock: { kind: 'public' }, handle: async () => jsonResponse({ status: 'ok' }) },
    ],
  })
  const close = async () => {
    isOpen = false
    await mounted.close()
  }
  return { close }
}

/** Meta says `hub.mode=subscribe` with the verify token and wants its challenge back. */
function knowsWord({ query }: HttpRequest, word: string): boolean {
  return word !== '' && query.get('hub.mode') === 'subscribe' && isSameSecret(query.get('hub.verify_token') ?? '', word)
}

/** The webhook is acknowledged once everything is stored; otherwise Meta retries for up to seven days. */
async function takeCall(plan: DoorPlan, { body }: HttpRequest): Promise<HttpResponse> {
  const { link, parts, numberId, prefix } = plan
  link.alive()
  const read = parseJsonBody(body, { maxPlainBytes: MAX_BYTES })
  const events = readEvents(read.kind === 'value' ? read.value : undefined, numberId)
  if (!events) return jsonResponse({ error: 'This is no call of WhatsApp.' }, 400)
  for (const each of events.undelivered) report(parts, each)
  try {
    for (const message of events.messages) {
      if (isEcho(message.text, prefix)) continue
      await link.receive(message)
      plan.taken(message)
    }
    return jsonResponse({ status: 'ok' })
  } catch (error) {
    parts.log.warn('a WhatsApp message could not be taken; Meta is asked to bring it again', { error: String(error) })
    return jsonResponse({ error: 'Not taken; call again.' }, 503)
  }
}

/** The API takes a message and says later that it was not delivered: the rule of 24 hours is one of the reasons. */
function report({ log, traces }: WhatsAppDeps, { messageId, code, reason }: Undelivered): void {
  const why =
    code === 131047 ? 'the person last wrote more than 24 hours ago, and must write again first' : reason.slice(0, 300)
  log.warn('WhatsApp did not deliver a message that it had taken', { messageId, code, reason: why })
  const known = traces()
  known?.note(known.of(messageId)?.trace ?? messageId, 'undelivered', `WhatsApp error ${code}: ${why}`, [messageId])
}
