/**
 * Writes a backup: a tar archive (POSIX pax), compressed with gzip, encrypted if asked for (https://age-encryption.org/v1). All of it
 * is a stream, so a home of any size takes the memory of one.
 */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushFolder } from 'svc/sdk/kit/files'
import type { TarPacker } from './tar.ts'

/** Read at once, so that a file that others write to has the size that the archive says. */
const SMALL_BYTES = 4 * 2 ** 20

/** Adds entries to an archive that is written at the same time. */
export interface ArchiveWriter {
  addText(name: string, text: string): Promise<{ readonly bytes: number; readonly sha256: string }>
  addFolder(name: string, mode: number): Promise<void>
  /** What was added; undefined for a file that is gone. Rejects when it became shorter while it was read. */
  addFile(
    name: string,
    file: string,
    options: { readonly mode: number; readonly onBytes?: (count: number) => void },
  ): Promise<{ readonly bytes: number; readonly sha256: string } | undefined>
}

/** Makes `file`, which must not exist, of what `fill` adds. Flushed when it resolves. */
export async function writeArchive(
  file: string,
  { passphrase, signal }: { readonly passphrase?: string | undefined; readonly signal?: AbortSignal | undefined },
  fill: (writer: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const { packTar } = await import('./tar.ts')
  const { packer, zipped } = packTar()
  const sealed = passphrase === undefined ? zipped : await (await import('./encryption.ts')).encrypt(zipped, passphrase)
  const drained = drain(sealed, file, signal)
  const filled = fill(createWriter(packer)).then(
    () => packer.finalize(),
    (error) => {
      packer.error(error)
      throw error
    },
  )
  const outcomes = await Promise.allSettled([drained, filled])
  // A disk that is full ends both; its own error says why.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed)
    throw outcomes[1]?.status === 'rejected' && !isAbort(outcomes[1].reason) ? outcomes[1].reason : failed.reason
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'AbortError'
}

async function drain(source: ReadableStream<Uint8Array>, file: string, signal: AbortSignal | undefined): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const chunk of source as unknown as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted()
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  await flushFolder(dirname(file))
}

function createWriter(packer: TarPacker): ArchiveWriter {
  return {
    async addText(name, text) {
      const data = Buffer.from(text)
      await put(packer.add({ name, size: data.length, mode: 0o600 }), [data])
      return { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') }
    },
    addFolder: async (name, mode) => void (await put(packer.add({ name, size: 0, mode, type: 'directory' }), [])),
    async addFile(name, file, { mode, onBytes }) {
      const handle = await openFile(file)
      if (!handle) return undefined
      const hash = createHash('sha256')
      try {
        const { size } = await handle.stat()
        const small = size <= SMALL_BYTES ? await handle.readFile() : undefined
        const bytes = small?.length ?? size
        const parts = small ? [small] : readExactly(handle, file, size)
        await put(packer.add({ name, size: bytes, mode }), parts, (part) => {
          hash.update(part)
          onBytes?.(part.length)
        })
        return { bytes, sha256: hash.digest('hex') }
      } finally {
        await handle.close()
      }
    },
  }
}

type Handle = Awaited<ReturnType<typeof open>>

async function openFile(file: string): Promise<Handle | undefined> {
  try {
    return await open(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** As many bytes as the file had; what is appended meanwhile is not in the backup. */
async function* readExactly(handle: Handle, file: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const part = Buffer.alloc(Math.min(size - at, 2 ** 20))
    const { bytesRead } = await handle.read(part, 0, part.length, at)
    if (bytesRead === 0) throw new Error(`${file} became shorter while it was copied`)
    at += bytesRead
    yield part.subarray(0, bytesRead)
  }
}

async function put(
  stream: WritableStream<Uint8Array>,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  seen?: (part: Uint8Array) => void,
): Promise<void> {
  const writer = stream.getWriter()
  try {
    for await (const part of parts) {
      seen?.(part)
      if (part.length > 0) await writer.write(part)
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => {})
    throw error
  }
}
