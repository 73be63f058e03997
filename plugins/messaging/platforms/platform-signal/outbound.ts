/** What `send` of signal-cli is asked for, and what its result means (man signal-cli, "send"; a version that does not know `voiceNote` sends a sound). */
import { type Outbound, type OutboundFile, refused, type SvcError, unsure } from 'svc/sdk'
import { z } from 'zod'
import { limited, unauthorized } from './api.ts'
import { messageId, parsedId, targetOf } from './chat.ts'
import { styled } from './styles.ts'

/** The parameters of `send`. */
export async function sendParams(message: Outbound): Promise<object> {
  const { text, styles } = styled(message.text)
  const { files = [] } = message
  const quoted = message.replyTo === undefined ? undefined : parsedId(message.replyTo)
  return {
    ...targetOf(message.chatId),
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
  if (!read.success) throw unsure('SIGNAL_FAILED', 'signal-cli did not say when the message was sent.')
  const types = (read.data.results ?? []).map(({ type }) => type)
  const [failed] = types
  if (failed !== undefined && !types.includes('SUCCESS')) throw failureOf(failed, result)
  return messageId(read.data.timestamp, author)
}

/** `SendMessageResult` of signal-cli. */
function failureOf(type: string, result: unknown): SvcError {
  if (type === 'RATE_LIMIT_FAILURE') return limited(type, result)
  if (type === 'UNREGISTERED_FAILURE') return refused('SIGNAL_FAILED', 'The recipient is not on Signal.')
  if (type === 'IDENTITY_FAILURE') {
    const advice = 'Check the safety number, then type `signal-cli trust`.'
    return refused('SIGNAL_FAILED', `The safety number of the recipient has changed. ${advice}`)
  }
  if (type === 'AUTHORIZATION_FAILURE') return unauthorized(type)
  return unsure('SIGNAL_FAILED', `Signal did not deliver the message: ${type}.`)
}
