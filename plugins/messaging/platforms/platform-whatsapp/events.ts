/** What Meta posts (developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components). */
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

const media = z.object({
  id: z.string().min(1),
  mime_type: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  voice: z.boolean().optional(),
})
const choice = z.object({ id: z.string(), title: z.string().optional() })
const message = z.object({
  id: z.string().min(1),
  from: z.string().min(1),
  type: z.string(),
  timestamp: z.string().optional(),
  group_id: z.string().optional(),
  context: z.object({ id: z.string().optional(), from: z.string().optional() }).optional(),
  text: z.object({ body: z.string() }).optional(),
  image: media.optional(),
  audio: media.optional(),
  video: media.optional(),
  document: media.optional(),
  sticker: media.optional(),
  location: z
    .object({
      latitude: z.number(),
      longitude: z.number(),
      name: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  contacts: z
    .array(
      z.object({
        name: z.object({ formatted_name: z.string() }),
        phones: z.array(z.object({ phone: z.string().optional() })).optional(),
      }),
    )
    .optional(),
  button: z.object({ payload: z.string().optional(), text: z.string() }).optional(),
  interactive: z.object({ button_reply: choice.optional(), list_reply: choice.optional() }).optional(),
})
type WireMessage = z.infer<typeof message>

const status = z.object({
  id: z.string(),
  status: z.string(),
  errors: z
    .array(
      z.object({
        code: z.number(),
        title: z.string().optional(),
        error_data: z.object({ details: z.string().optional() }).optional(),
      }),
    )
    .optional(),
})

const value = z.object({
  metadata: z.object({ phone_number_id: z.string(), display_phone_number: z.string().default('') }),
  contacts: z
    .array(z.object({ wa_id: z.string(), profile: z.object({ name: z.string().optional() }).optional() }))
    .optional(),
  messages: z.array(z.unknown()).optional(),
  statuses: z.array(z.unknown()).optional(),
})
const envelope = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
})

/** A message of ours that did not arrive although it was taken. */
export interface Undelivered {
  readonly messageId: string
  readonly code: number
  readonly reason: string
}

/** The content of one call. Unknown parts are left out: newer versions have more of them. */
export interface Events {
  readonly messages: readonly InboundMessage[]
  readonly undelivered: readonly Undelivered[]
}

/** Undefined if it is not a webhook call of this kind. `ownId`: other numbers may share the webhook. */
export function readEvents(body: unknown, ownId: string): Events | undefined {
  const call = envelope.safeParse(body)
  if (!call.success) return undefined
  const values = call.data.entry
    .flatMap(({ changes }) => changes)
    .flatMap((change) => (change.field === 'messages' ? (value.safeParse(change.value).data ?? []) : []))
    .filter(({ metadata }) => metadata.phone_number_id === ownId)
  return {
    messages: values.flatMap(({ messages = [], contacts = [], metadata }) => {
      const own = metadata.display_phone_number.replace(/\D/g, '')
      const names = new Map(contacts.map(({ wa_id: id, profile }) => [id, profile?.name]))
      return messages.flatMap((each) => toInbound(message.safeParse(each).data, names, own) ?? [])
    }),
    undelivered: values.flatMap(({ statuses = [] }) => statuses.flatMap((each) => readUndelivered(each) ?? [])),
  }
}

/** Undefined for what is not to be answered: reactions, what WhatsApp itself says, and kinds that are new. */
function toInbound(
  wire: WireMessage | undefined,
  names: ReadonlyMap<string, string | undefined>,
  own: string,
): InboundMessage | undefined {
  if (!wire) return undefined
  const said = readWords(wire)
  const file = findFile(wire)
  if ((said.text ?? '').trim() === '' && !file) return undefined
  const userName = names.get(wire.from)
  const at = Number(wire.timestamp) * 1000
  return {
    platform: 'whatsapp',
    chatId: wire.group_id ?? wire.from,
    userId: wire.from,
    messageId: wire.id,
    text: said.text ?? '',
    ...(wire.group_id !== undefined && readGroup(wire, own)),
    ...(said.press !== undefined && { press: said.press }),
    ...(userName && { userName }),
    ...(wire.context?.id && { quote: { messageId: wire.context.id } }),
    ...(file && { files: [file] }),
    ...(Number.isFinite(at) && { at }),
  }
}

/** In a group the business is addressed by an answer to it, and by its number behind an `@`. */
function readGroup(
  { context, text }: WireMessage,
  own: string,
): Pick<InboundMessage, 'chatKind' | 'isMention'> & { readonly text?: string } {
  const name = new RegExp(`@${own}\\b`)
  const isNamed = own !== '' && name.test(text?.body ?? '')
  const isAnswer = own !== '' && context?.from?.replace(/\D/g, '') === own
  return {
    chatKind: 'group',
    isMention: isNamed || isAnswer,
    ...(isNamed && { text: text?.body.replace(name, '').trim() ?? '' }),
  }
}

interface Words {
  readonly text?: string | undefined
  readonly press?: string
}

function readWords(wire: WireMessage): Words {
  const pressed = wire.interactive?.button_reply ?? wire.interactive?.list_reply
  if (pressed) return { text: pressed.title ?? pressed.id, press: pressed.id }
  if (wire.button) return { text: wire.button.text }
  if (wire.location) return { text: formatLocation(wire.location) }
  if (wire.contacts) return { text: wire.contacts.map(formatContact).join('\n') }
  return { text: wire.text?.body ?? (wire.image ?? wire.video ?? wire.document)?.caption }
}

function formatLocation({ latitude, longitude, name, address }: NonNullable<WireMessage['location']>): string {
  return `Location: ${[name, address, `${latitude}, ${longitude}`].filter(Boolean).join(', ')}`
}

function formatContact({ name, phones = [] }: NonNullable<WireMessage['contacts']>[number]): string {
  return `Contact: ${[name.formatted_name, ...phones.flatMap(({ phone }) => phone ?? [])].join(', ')}`
}

const kinds = ['image', 'audio', 'video', 'document', 'sticker'] as const

function findFile(wire: WireMessage): InboundFile | undefined {
  const kind = kinds.find((each) => wire[each] !== undefined)
  const file = kind && wire[kind]
  if (!file) return undefined
  const mediaType = file.mime_type?.split(';')[0]?.trim()
  const ending = /^\w+\/([\w-]+)$/.exec(mediaType ?? '')?.[1]
  return {
    ref: file.id,
    name: file.filename ?? `${kind}${ending ? `.${ending}` : ''}`,
    ...(mediaType && { mediaType }),
    ...(file.voice && { isVoice: true }),
  }
}

function readUndelivered(wire: unknown): Undelivered | undefined {
  const { data } = status.safeParse(wire)
  if (data?.status !== 'failed') return undefined
  const [error] = data.errors ?? []
  const reason = error?.error_data?.details ?? error?.title ?? 'no reason given'
  return { messageId: data.id, code: error?.code ?? 0, reason }
}
