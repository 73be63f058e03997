/** The bytes of an answer, unpacked and bounded. */
import { Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { errorMessage, type NetResponse, SvcError } from 'svc/sdk'

const MAX_BYTES = 5 * 2 ** 20

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Reads at most 5 MiB of what the answer holds unpacked; the caller closes the answer. */
export async function readBody(answer: NetResponse): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const encoding = (answer.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return collect(answer.body)
  const make = unpackers[encoding]
  if (!make)
    throw new SvcError('WEB_PAGE_DAMAGED', `the page is packed as "${encoding.slice(0, 40)}", which is not known.`)
  const packed = Readable.from(answer.body)
  const unpacker = make()
  let cause: unknown
  packed.on('error', (error) => {
    cause = error
    unpacker.destroy(error)
  })
  try {
    return await collect(packed.pipe(unpacker))
  } catch (error) {
    if (cause !== undefined) throw cause
    throw new SvcError('WEB_PAGE_DAMAGED', `the page cannot be unpacked (${errorMessage(error)}).`, { cause: error })
  } finally {
    packed.destroy()
    unpacker.destroy()
  }
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size > MAX_BYTES) break
  }
  const all = Buffer.concat(parts)
  return { bytes: all.subarray(0, MAX_BYTES), isCut: all.length > MAX_BYTES }
}
