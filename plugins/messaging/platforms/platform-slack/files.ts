/** Files out (docs.slack.dev/messaging/working-with-files, "Uploading files"): an address, the bytes, and the sharing. */
import { errorMessage } from 'svc/sdk'
import {
  beforeSending,
  deliveryUncertain,
  type OutboundFile,
  type OutboundMessage,
  type SendReceipt,
} from 'svc/sdk/platform'
import { z } from 'zod'
import type { SlackApi } from './api.ts'
import { createMetadata, findSent } from './outbound.ts'
import { NO_UNFURL } from './unfurling.ts'

const place = z.object({ upload_url: z.string(), file_id: z.string() })
const anything = z.object({})

/** Whether words go behind the files: a comment has no switch for previews, so text with links is a separate message. */
const isApart = ({ text }: OutboundMessage) => text.includes('://')

/**
 * Until they are shared they are invisible, so earlier failures are harmless. The receipt names the first file, and so does the note:
 * Slack keeps no key with a file. What an earlier attempt has shared is not shared again.
 */
export async function postFiles(
  api: SlackApi,
  { message, files }: { readonly message: OutboundMessage; readonly files: readonly OutboundFile[] },
): Promise<SendReceipt> {
  const { note, commit } = message
  if (note !== undefined && (await beforeSending(findSent(api, message, note)))) {
    if (isApart(message)) await postWords(api, message, commit)
    return { messageId: note }
  }
  const fileId = await share(api, message, files)
  if (isApart(message)) await postWords(api, message)
  return { messageId: fileId }
}

/** The id of the first file. */
async function share(api: SlackApi, message: OutboundMessage, files: readonly OutboundFile[]): Promise<string> {
  const { chatId, threadId, text, commit } = message
  const ids: { readonly id: string; readonly title: string }[] = []
  for (const file of files) ids.push({ id: await beforeSending(uploadFile(api, file)), title: file.name })
  const fileId = ids[0]?.id ?? ''
  message.writeNote?.(fileId)
  const comment = isApart(message) ? undefined : text || undefined
  const shared = { files: ids, channel_id: chatId, thread_ts: threadId, initial_comment: comment }
  await api.call('files.completeUploadExternal', shared, anything, { commit })
  return fileId
}

/** With the key of the message, by which they are found. */
async function postWords(api: SlackApi, message: OutboundMessage, commit?: OutboundMessage['commit']): Promise<void> {
  const { chatId, threadId, text, key } = message
  const place = { channel: chatId, thread_ts: threadId, ...NO_UNFURL }
  const words = { ...place, text, mrkdwn: true, metadata: createMetadata(key) }
  await api.call('chat.postMessage', words, anything, { commit }).catch((cause: unknown) => {
    throw deliveryUncertain(
      'SLACK_FAILED',
      `The files were sent, but not the words with them: ${errorMessage(cause)}`,
      cause,
    )
  })
}

/** The receipt once the files and their words are there; undefined while one of them is missing. */
export async function findFiles(api: SlackApi, message: OutboundMessage): Promise<SendReceipt | undefined> {
  if (message.note === undefined)
    throw deliveryUncertain('SLACK_FAILED', 'Whether this file was sent cannot be known: no note of it was kept.')
  const shared = await findSent(api, message, message.note)
  if (!shared || !isApart(message)) return shared
  return (await findSent(api, message)) ? shared : undefined
}

async function uploadFile(api: SlackApi, file: OutboundFile): Promise<string> {
  const bytes = await file.bytes()
  const form = { filename: file.name, length: bytes.length }
  const { upload_url, file_id } = await api.call('files.getUploadURLExternal', form, place)
  await api.upload(upload_url, bytes)
  return file_id
}
