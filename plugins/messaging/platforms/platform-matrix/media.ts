/** Files: the content repository (spec.matrix.org/latest/client-server-api, content repository). */
import type { NetResponse } from 'svc/sdk'
import { deliveryRefused, type InboundFile, type OutboundFile, readWithLimit } from 'svc/sdk/platform'
import { getErrcode, type MatrixApi } from './api.ts'

const UPLOAD_MS = 300_000
const MISSING = ['M_UNRECOGNIZED', 'M_NOT_FOUND']

/** Uploads a file; its `mxc://` address. */
export async function upload(api: MatrixApi, file: OutboundFile): Promise<string> {
  const body = await file.bytes()
  const { content_uri: address } = await api.ask({
    method: 'POST',
    path: '/media/v3/upload',
    query: { filename: file.name },
    mediaType: file.mediaType,
    timeoutMs: UPLOAD_MS,
    once: true,
    body,
  })
  if (typeof address === 'string') return address
  throw deliveryRefused('MATRIX_FAILED', 'The homeserver took a file and did not say where it is.')
}

/** The bytes of a file; never reads more than `maxBytes` of it. */
export async function download(
  api: MatrixApi,
  file: InboundFile,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const response = await openMedia(api, file.ref.replace('mxc://', ''), options.signal)
  return readWithLimit(response.body, { name: file.name, maxBytes: options.maxBytes })
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
