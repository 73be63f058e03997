/** Sends a file to the folder of a session, piece by piece. */
import { ApiError, post, remove, request } from '../client/api.ts'
import { t } from '../client/language.ts'

export interface UploadTarget {
  readonly session: string
  readonly path: string
  readonly overwrite: boolean
}

/** Rejects when the file changes meanwhile; nothing is stored then. `onProgress` gets parts of one. */
export async function upload(file: File, target: UploadTarget, onProgress: (part: number) => void): Promise<void> {
  const { session, ...place } = target
  const begun = await post<{ id: string; piece_bytes: number }>('/api/files/uploads', {
    ...{ ...place, size: file.size },
    ...(session !== '' && { session }),
  })
  const path = `/api/files/uploads/${begun.id}`
  try {
    for (let offset = 0; offset < file.size; offset += begun.piece_bytes) {
      const body = await readPiece(file, offset, begun.piece_bytes)
      await request('PUT', path, { query: { offset }, body })
      onProgress(Math.min(1, (offset + body.byteLength) / file.size))
    }
    await post(`${path}/finish`)
  } catch (error) {
    // The server forgets one that cannot be told of.
    await remove(path).catch(() => {})
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
