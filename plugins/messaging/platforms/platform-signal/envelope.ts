/**
 * What the daemon tells of a message (org.asamk.signal.json, https://github.com/AsamK/signal-cli): an envelope, read with
 * distrust. Only what people say is left; receipts, typing, stories, calls and edits are not.
 */
import { z } from 'zod'

const text = z.string().nullish()
const attachment = z.object({
  id: z.string(),
  contentType: text,
  filename: text,
  size: z.number().nullish(),
})
export type Attachment = z.infer<typeof attachment>

const mention = z.object({ name: text, number: text, uuid: text, start: z.number(), length: z.number() })
const something = z.unknown().optional()

const dataMessage = z.object({
  timestamp: z.number(),
  message: text,
  quote: z
    .object({ id: z.number(), author: text, authorNumber: text, authorUuid: text, text })
    .nullish()
    .catch(undefined),
  mentions: z.array(mention).nullish().catch(undefined),
  attachments: z.array(attachment).nullish().catch(undefined),
  groupInfo: z.object({ groupId: z.string(), groupName: text }).nullish(),
  reaction: something,
  remoteDelete: something,
  storyContext: something,
})
export type DataMessage = z.infer<typeof dataMessage>

const envelope = z.object({
  source: text,
  sourceNumber: text,
  sourceUuid: text,
  sourceName: text,
  timestamp: z.number().optional().catch(undefined),
  serverDeliveredTimestamp: z.number().optional().catch(undefined),
  dataMessage: dataMessage.nullish().catch(undefined),
  syncMessage: z
    .object({
      sentMessage: dataMessage.extend({ destinationNumber: text, destinationUuid: text }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})
export type Envelope = z.infer<typeof envelope>

/** `params` of the notification `receive`, bare or in a JSON-RPC envelope. */
const event = z.object({ envelope, account: text })
const notification = z.object({ params: z.union([event, z.object({ result: event })]) })

/** Undefined if it is not an envelope. */
export function readEnvelope(json: unknown): Envelope | undefined {
  const bare = event.safeParse(json)
  if (bare.success) return bare.data.envelope
  const wrapped = notification.safeParse(json)
  if (!wrapped.success) return undefined
  const { params } = wrapped.data
  return 'result' in params ? params.result.envelope : params.envelope
}
