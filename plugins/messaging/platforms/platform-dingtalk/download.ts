/** Fetches a file: its code becomes a temporary address (open.dingtalk.com, "messageFiles/download"). */
import { deliveryRefused, type InboundFile, readWithLimit } from 'svc/sdk/platform'
import type { DingTalkApi } from './api.ts'

export async function download(
  api: DingTalkApi,
  robotCode: string,
  file: InboundFile,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { maxBytes, signal } = options
  const { downloadUrl } = await api.call('/v1.0/robot/messageFiles/download', { downloadCode: file.ref, robotCode })
  if (typeof downloadUrl !== 'string')
    throw deliveryRefused('DINGTALK_FAILED', `DingTalk does not hand out ${file.name}.`)
  const response = await api.open(downloadUrl, signal)
  if (response.status !== 200) {
    response.close()
    throw deliveryRefused('DINGTALK_FAILED', `DingTalk does not hand out ${file.name}: HTTP ${response.status}.`)
  }
  return readWithLimit(response.body, { name: file.name, maxBytes })
}
