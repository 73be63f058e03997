/** Fetches a file: its code becomes a temporary address (open.dingtalk.com, "messageFiles/download"). */
import { type InboundFile, refused } from 'svc/sdk'
import type { DingTalkApi } from './api.ts'

export async function download(
  api: DingTalkApi,
  robotCode: string,
  file: InboundFile,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { maxBytes, signal } = options
  const { downloadUrl } = await api.call('/v1.0/robot/messageFiles/download', { downloadCode: file.ref, robotCode })
  if (typeof downloadUrl !== 'string') throw refused('DINGTALK_FAILED', `DingTalk does not hand out ${file.name}.`)
  const response = await api.open(downloadUrl, signal)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    if (response.status !== 200)
      throw refused('DINGTALK_FAILED', `DingTalk does not hand out ${file.name}: HTTP ${response.status}.`)
    for await (const part of response.body) {
      size += part.length
      if (maxBytes && size > maxBytes)
        throw refused('PLATFORM_FILE_LARGE', `${file.name} has more than ${maxBytes} bytes.`)
      parts.push(part)
    }
  } finally {
    response.close()
  }
  return Buffer.concat(parts)
}
