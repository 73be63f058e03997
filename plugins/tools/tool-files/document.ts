/** The text of PDF and Office documents for `read_file`. */
import { errorMessage, SvcError } from 'svc/sdk'
import { type DocumentText, documentText } from 'svc/sdk/kit/files'
import { binaryKind, showSize } from './file-kind.ts'
import type { ByteSource } from './line-window.ts'
import { showName } from './paths.ts'

/** It is read as a whole. */
const MAX_BYTES = 50_000_000

/** A PDF, or an archive, which may be an Office document. */
export function isDocument(beginning: Uint8Array): boolean {
  return /^(?:%PDF|PK\x03\x04)/.test(Buffer.from(beginning.subarray(0, 4)).toString('latin1'))
}

/** Undefined for an archive of another kind. Throws `FILE_BINARY` with the reason for a document that cannot be read. */
export async function readDocument(
  file: ByteSource,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<DocumentText | undefined> {
  if (size > MAX_BYTES)
    throw new SvcError(
      'FILE_BINARY',
      `${showName(path)} has ${showSize(size)}; at most ${showSize(MAX_BYTES)} of a document are read.`,
    )
  const bytes = Buffer.alloc(size)
  let length = 0
  for (let read = -1; read !== 0 && length < size; length += read)
    read = (await file.read(bytes, length, size - length, length)).bytesRead
  try {
    return await documentText(bytes.subarray(0, length), signal)
  } catch (error) {
    if (signal.aborted) throw error
    const message = `${showName(path)} is ${binaryKind(bytes)} (${showSize(size)}) whose text cannot be read: ${errorMessage(error).replace(/\.$/, '')}.`
    throw new SvcError('FILE_BINARY', message, { cause: error })
  }
}

/** Reads a text as if it were a file. */
export function getSource(text: string): ByteSource {
  const bytes = Buffer.from(text)
  return {
    read: async (buffer, offset, length, position) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  }
}
