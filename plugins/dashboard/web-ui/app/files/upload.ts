/** Sends a file to the folder of a session, piece by piece. */
import { ApiError, request } from '../client/api.ts'
import { t } from '../client/language.ts'
import { api } from '../client/typed.ts'

export interface UploadTarget {
  readonly session: string
  readonly path: string
  readonly overwrite: boolean
}

/** Rejects when the file changes meanwhile; nothing is stored then. `onProgress` gets parts of one. */
export async function upload(file: File, target: UploadTarget, onProgress: (part: number) => void): Promise<void> {
  const { session, ...place } = target
  const begun = await api.post('/api/files/uploads', {
    ...{ ...place, size: file.size },
    ...(session !== '' && { session }),
  })
  const { id } = begun
  try {
    for (let offset = 0; offset < file.size; offset += begun.piece_bytes) {
      const body = await readPiece(file, offset, begun.piece_bytes)
      // Bytes, not JSON.
      await request('PUT', `/api/files/uploads/${encodeURIComponent(id)}`, { query: { offset }, body })
      onProgress(Math.min(1, (offset + body.byteLength) / file.size))
    }
    await api.post('/api/files/uploads/:id/finish', undefined, { id })
  } catch (error) {
    // The server forgets one that cannot be told of.
    await api.remove('/api/files/uploads/:id', { id }).catch(() => {})
    throw error
  }
}

async function readPiece(file: File, offset: number, size: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(offset, offset + size).arrayBuffer()
  } catch {
    throw new Error(t('{name} was changed while it was sent. Choose it again.', { name: file.name }))
  }
}

/** The name is taken, which may be what is wanted. */
export function isTaken(error: unknown): boolean {
  return error instanceof ApiError && (error.body as { readonly code?: string } | undefined)?.code === 'file_taken'
}
