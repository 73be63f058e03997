/** What `send` of signal-cli is asked for, and what its result means (man signal-cli, "send"; a version that does not know `voiceNote` sends a sound). */
import type { SvcError } from 'svc/sdk'
import { deliveryRefused, deliveryUncertain, type OutboundFile, type OutboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import { limited, unauthorized } from './api.ts'
import { messageId, parsedId, toTarget } from './chat.ts'
import { parseStyled } from './styles.ts'

/** The parameters of `send`. */
export async function sendParams(message: OutboundMessage): Promise<object> {
  const { text, styles } = parseStyled(message.text)
  const { files = [] } = message
  const quoted = message.replyTo === undefined ? undefined : parsedId(message.replyTo)
  return {
    ...toTarget(message.chatId),
    message: text,
    ...(styles.length > 0 && { textStyle: styles }),
    ...(files.length > 0 && { attachment: await Promise.all(files.map(dataUri)) }),
    ...(files.some(({ isVoice }) => isVoice) && { voiceNote: true }),
    ...(quoted && { quoteTimestamp: quoted.timestamp, quoteAuthor: quoted.author }),
  }
}

/** `data:<type>;filename=<name>;base64,<data>`; a name ends at the marks of the address. */
async function dataUri({ name, mediaType, bytes }: OutboundFile): Promise<string> {
  const safe = name.replace(/[^\p{L}\p{N}._-]/gu, '_')
  return `data:${mediaType};filename=${safe};base64,${Buffer.from(await bytes()).toString('base64')}`
}

const sent = z.object({
  timestamp: z.number(),
  results: z
    .array(z.object({ type: z.string().catch('') }))
    .nullish()
    .catch(undefined),
})

/** The id of what was sent. A message is sent when one of its recipients has it. */
export function sentId(result: unknown, author: string): string {
  const read = sent.safeParse(result)
  if (!read.success) throw deliveryUncertain('SIGNAL_FAILED', 'signal-cli did not say when the message was sent.')
  const types = (read.data.results ?? []).map(({ type }) => type)
  const [failed] = types
  if (failed !== undefined && !types.includes('SUCCESS')) throw toFailure(failed, result)
  return messageId(read.data.timestamp, author)
}

/** `SendMessageResult` of signal-cli. */
function toFailure(type: string, result: unknown): SvcError {
  if (type === 'RATE_LIMIT_FAILURE') return limited(type, result)
  if (type === 'UNREGISTERED_FAILURE') return deliveryRefused('SIGNAL_FAILED', 'The recipient is not on Signal.')
  if (type === 'IDENTITY_FAILURE') {
    const advice = 'Check the safety number, then type `signal-cli trust`.'
    return deliveryRefused('SIGNAL_FAILED', `The safety number of the recipient has changed. ${advice}`)
  }
  if (type === 'AUTHORIZATION_FAILURE') return unauthorized(type)
  return deliveryUncertain('SIGNAL_FAILED', `Signal did not deliver the message: ${type}.`)
}
