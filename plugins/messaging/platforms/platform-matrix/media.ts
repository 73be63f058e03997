/** Files: the content repository (spec.matrix.org/latest/client-server-api, content repository). */
import type { NetResponse } from 'svc/sdk'
import { drawWaveform, measureSound } from 'svc/sdk/kit/files'
import { deliveryRefused, type InboundFile, type OutboundFile, readWithLimit } from 'svc/sdk/platform'
import { getErrcode, type MatrixApi } from './api.ts'
import { decryptFile, encryptFile, splitReference } from './encryption/attachments.ts'

const UPLOAD_MS = 300_000
const MISSING = ['M_UNRECOGNIZED', 'M_NOT_FOUND']

/** A file at the homeserver; the key is there if it is encrypted. */
export interface UploadedFile {
  readonly url: string
  readonly key?: Readonly<Record<string, unknown>>
  /** Of speech. */
  readonly sound?: VoiceFacts
}

/** How long a voice message is, and a picture of it with values from 0 to 1024. */
export interface VoiceFacts {
  readonly duration: number
  readonly waveform?: readonly number[]
}

/** Uploads a file, for an encrypted room without its name and kind. */
export async function upload(api: MatrixApi, file: OutboundFile, isEncrypted: boolean): Promise<UploadedFile> {
  const clear = await file.bytes()
  const { bytes: body, key } = isEncrypted ? await encryptFile(clear) : { bytes: clear }
  const { content_uri: url } = await api.ask({
    method: 'POST',
    path: '/media/v3/upload',
    ...(!key && { query: { filename: file.name } }),
    mediaType: key ? 'application/octet-stream' : file.mediaType,
    timeoutMs: UPLOAD_MS,
    once: true,
    body,
  })
  if (typeof url === 'string') return { url, ...(key && { key }), ...(file.isVoice && describeSound(clear)) }
  throw deliveryRefused('MATRIX_FAILED', 'The homeserver took a file and did not say where it is.')
}

/** github.com/matrix-org/matrix-spec-proposals/pull/3246 */
function describeSound(bytes: Uint8Array): Pick<UploadedFile, 'sound'> {
  const length = measureSound(bytes)
  const points = drawWaveform(bytes, { stepMs: 100, maxPoints: 100 })
  if (!length) return {}
  return { sound: { duration: length.ms, ...(points && { waveform: [...points].map((point) => point * 4) }) } }
}

/** The bytes of a file; never reads more than `maxBytes` of it. */
export async function download(
  api: MatrixApi,
  file: InboundFile,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { url, key } = splitReference(file.ref)
  const response = await openMedia(api, url.replace('mxc://', ''), options.signal)
  const bytes = await readWithLimit(response.body, { name: file.name, maxBytes: options.maxBytes })
  return key ? decryptFile(bytes, key) : bytes
}

/** Servers before Matrix 1.11 know only the older path. */
async function openMedia(api: MatrixApi, place: string, signal: AbortSignal): Promise<NetResponse> {
  try {
    return await api.open({ path: `/client/v1/media/download/${place}`, signal, timeoutMs: UPLOAD_MS })
  } catch (error) {
    if (!MISSING.includes(getErrcode(error) ?? '')) throw error
    return api.open({ path: `/media/v3/download/${place}`, signal, timeoutMs: UPLOAD_MS })
  }
}
