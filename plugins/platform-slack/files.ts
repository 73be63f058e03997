/** Files out (docs.slack.dev/messaging/working-with-files, "Uploading files"): an address, the bytes, and the sharing. */
import { busy, deliveryFailure, errorMessage, type Outbound, type OutboundFile, type Receipt } from 'svc/sdk'
import { z } from 'zod'
import type { SlackApi } from './api.ts'
import { actionsOf } from './outbound.ts'
import { NO_UNFURL } from './unfurling.ts'

const MOST_REMEMBERED = 200

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
    if (this.#ids.size >= MOST_REMEMBERED && oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.set(key, fileId)
  }
}

/** Until it is shared nobody sees it, so failures before are harmless. The receipt names the file. */
export async function postFile(
  api: SlackApi,
  files: Files,
  { message, file }: { readonly message: Outbound; readonly file: OutboundFile },
): Promise<Receipt> {
  const { chatId, threadId, text, key, buttons = [], commit } = message
  const fileId = await uploaded(api, file)
  files.set(key, fileId)
  const shared = { files: [{ id: fileId, title: file.name }], channel_id: chatId, thread_ts: threadId }
  // A comment has no switch for previews, so words with links are a message of their own.
  const isApart = text.includes('://')
  const comment = isApart ? undefined : text || undefined
  await api.call('files.completeUploadExternal', { ...shared, initial_comment: comment }, anything, { commit })
  if (buttons.length > 0 || isApart) {
    const words = { text: isApart ? text : file.name, mrkdwn: true, attachments: actionsOf(buttons) }
    await api.call('chat.postMessage', { channel: chatId, thread_ts: threadId, ...NO_UNFURL, ...words }, anything)
  }
  return { messageId: fileId }
}

async function uploaded(api: SlackApi, file: OutboundFile): Promise<string> {
  const bytes = await file.bytes()
  try {
    const form = { filename: file.name, length: bytes.length }
    const { upload_url, file_id } = await api.call('files.getUploadURLExternal', form, place)
    await api.upload(upload_url, bytes)
    return file_id
  } catch (cause) {
    const { kind, retryAfterMs } = deliveryFailure(cause)
    if (kind === 'refused') throw cause
    throw busy('SLACK_FAILED', `The file was not uploaded: ${errorMessage(cause)}`, {
      cause,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    })
  }
}
