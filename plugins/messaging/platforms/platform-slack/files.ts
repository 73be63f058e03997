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
import { NO_UNFURL } from './unfurling.ts'

const MAX_REMEMBERED = 200

const place = z.object({ upload_url: z.string(), file_id: z.string() })
const anything = z.object({})

/** Which file was sent with which key. Slack keeps no key with a file. */
export class Files {
  readonly #ids: Map<string, string> = new Map()

  has(key: string): boolean {
    return this.#ids.has(key)
  }

  get(key: string): string | undefined {
    return this.#ids.get(key)
  }

  set(key: string, fileId: string): void {
    const [oldest] = this.#ids.keys()
    if (this.#ids.size >= MAX_REMEMBERED && oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.set(key, fileId)
  }
}

/** Until they are shared they are invisible, so earlier failures are harmless. The receipt names the first file. */
export async function postFiles(
  api: SlackApi,
  sent: Files,
  { message, files }: { readonly message: OutboundMessage; readonly files: readonly OutboundFile[] },
): Promise<SendReceipt> {
  const { chatId, threadId, text, key, commit } = message
  const ids: { readonly id: string; readonly title: string }[] = []
  for (const file of files) ids.push({ id: await beforeSending(uploadFile(api, file)), title: file.name })
  const fileId = ids[0]?.id ?? ''
  sent.set(key, fileId)
  const shared = { files: ids, channel_id: chatId, thread_ts: threadId }
  // A comment has no switch for previews, so text with links is a separate message.
  const isApart = text.includes('://')
  const comment = isApart ? undefined : text || undefined
  await api.call('files.completeUploadExternal', { ...shared, initial_comment: comment }, anything, { commit })
  if (isApart) {
    const words = { channel: chatId, thread_ts: threadId, ...NO_UNFURL, text, mrkdwn: true }
    await api.call('chat.postMessage', words, anything).catch((cause: unknown) => {
      throw deliveryUncertain(
        'SLACK_FAILED',
        `The files were sent, but not the words with them: ${errorMessage(cause)}`,
        cause,
      )
    })
  }
  return { messageId: fileId }
}

async function uploadFile(api: SlackApi, file: OutboundFile): Promise<string> {
  const bytes = await file.bytes()
  const form = { filename: file.name, length: bytes.length }
  const { upload_url, file_id } = await api.call('files.getUploadURLExternal', form, place)
  await api.upload(upload_url, bytes)
  return file_id
}
