/** Where Meta calls: the handshake that sets the webhook up, and the events, each call signed. */
import {
  type Disposer,
  type HttpReply,
  type HttpRequest,
  type Inbound,
  jsonReply,
  type PlatformLink,
  readJson,
} from 'svc/sdk'
import { eventsOf, type Undelivered } from './events.ts'
import type { WhatsAppParts } from './parts.ts'
import { isEcho } from './prefix.ts'
import { isSame, isSigned } from './signature.ts'

/** Calls hold many events and are this large at most. */
const MAX_BYTES = 3 * 2 ** 20

export interface DoorPlan {
  readonly parts: WhatsAppParts
  readonly numberId: string
  readonly prefix: string
  readonly link: PlatformLink
  /** A message is safe. */
  taken(message: Inbound): void
}

/** While it is open. */
export interface Door {
  close: Disposer
}

export async function openDoor(plan: DoorPlan): Promise<Door> {
  const { settings, secrets, http } = plan.parts
  const get = (name: string) => secrets().get(name)
  const path = get('WHATSAPP_CLOUD_WEBHOOK_PATH') ?? settings.webhook_path
  let isOpen = true
  const handle = async (request: HttpRequest) =>
    isOpen ? takeCall(plan, request) : jsonReply({ error: 'Closed.' }, 503)
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
      { method: 'GET', path: '/health', lock: { kind: 'public' }, handle: async () => jsonReply({ status: 'ok' }) },
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
  return word !== '' && query.get('hub.mode') === 'subscribe' && isSame(query.get('hub.verify_token') ?? '', word)
}

/** Meta is told that it arrived once all of it is safe; else it calls again, for up to seven days. */
async function takeCall(plan: DoorPlan, { body }: HttpRequest): Promise<HttpReply> {
  const { link, parts, numberId, prefix } = plan
  link.alive()
  const read = readJson(body, { maxPlainBytes: MAX_BYTES })
  const events = eventsOf(read.kind === 'value' ? read.value : undefined, numberId)
  if (!events) return jsonReply({ error: 'This is no call of WhatsApp.' }, 400)
  for (const each of events.undelivered) report(parts, each)
  try {
    for (const message of events.messages) {
      if (isEcho(message.text, prefix)) continue
      await link.receive(message)
      plan.taken(message)
    }
    return jsonReply({ status: 'ok' })
  } catch (error) {
    parts.log.warn('a WhatsApp message could not be taken; Meta is asked to bring it again', { error: String(error) })
    return jsonReply({ error: 'Not taken; call again.' }, 503)
  }
}

/** The API takes a message and says later that it was not delivered: the rule of 24 hours is one of the reasons. */
function report({ log, traces }: WhatsAppParts, { messageId, code, reason }: Undelivered): void {
  const why =
    code === 131047 ? 'the person last wrote more than 24 hours ago, and must write again first' : reason.slice(0, 300)
  log.warn('WhatsApp did not deliver a message that it had taken', { messageId, code, reason: why })
  const known = traces()
  known?.note(known.of(messageId)?.trace ?? messageId, 'undelivered', `WhatsApp error ${code}: ${why}`, [messageId])
}
