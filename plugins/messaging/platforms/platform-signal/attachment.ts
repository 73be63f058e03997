/** Fetches a file that came: `getAttachment` gives it as base64 (man signal-cli, "getAttachment"). */
import { errorCode, tryParseJson } from 'svc/sdk'
import { deliveryRefused, fileTooLargeError, type InboundFile } from 'svc/sdk/platform'
import type { SignalApi } from './api.ts'
import { toTarget } from './chat.ts'

/** The JSON-RPC envelope. */
const AROUND_BYTES = 4096

export async function fetchAttachment(
  api: SignalApi,
  file: InboundFile,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { maxBytes, signal } = options
  const [chatId, id] = (tryParseJson(file.ref)?.value ?? []) as readonly string[]
  if (!chatId || !id) throw deliveryRefused('SIGNAL_FAILED', `${file.name} is no file of Signal.`)
  // Base64 has four characters for three bytes.
  const limit = maxBytes ? Math.ceil(maxBytes / 3) * 4 + AROUND_BYTES : Number.MAX_SAFE_INTEGER
  const { recipient, groupId } = { recipient: undefined, groupId: undefined, ...toTarget(chatId) }
  const params = { id, ...(groupId ? { groupId } : { recipient: recipient?.[0] }) }
  const result = await api.call('getAttachment', params, { limit, signal }).catch((error) => {
    throw isTooLarge(error) ? fileTooLargeError(file.name, maxBytes) : error
  })
  const data = typeof result === 'string' ? result : (result as { data?: unknown }).data
  if (typeof data !== 'string') throw deliveryRefused('SIGNAL_FAILED', `signal-cli did not hand out ${file.name}.`)
  const bytes = Buffer.from(data, 'base64')
  if (maxBytes && bytes.length > maxBytes) throw fileTooLargeError(file.name, maxBytes)
  return bytes
}

function isTooLarge(error: unknown): boolean {
  return errorCode((error as { cause?: unknown } | undefined)?.cause) === 'NET_TOO_LARGE'
}
