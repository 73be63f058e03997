/** An ordinary file that is sent as it was when it was opened, or not to its end. */
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { SvcError } from 'svc/sdk'
import { type Context, findPlace, type Place } from './workspace.ts'

const PIECE = 65_536

export interface OpenedFile extends AsyncDisposable {
  readonly place: Place
  readonly size: number
  readonly modifiedAt: number
  /** At most so many bytes from the beginning. Throws `DASHBOARD_FILE_CHANGED` when the file is not what it was at its opening. */
  pieces(maxBytes?: number): AsyncGenerator<Uint8Array>
  /** The same pieces, together. */
  read(maxBytes: number): Promise<Buffer>
}

/** Throws `DASHBOARD_FILE_PATH`, `DASHBOARD_FILE_ABSENT` for what is no ordinary file, and what guards files. */
export async function openFile(ctx: Context, id: string | undefined, typed: string): Promise<OpenedFile> {
  const place = await findPlace(ctx, id, typed)
  // A pipe would keep the caller waiting, and a link that was put there meanwhile is not followed.
  const handle = await open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw absent(typed, cause)
    },
  )
  try {
    const facts = await handle.stat()
    // The folders on its way may have been exchanged between the check and the opening.
    const again = await stat((await findPlace(ctx, id, typed)).path)
    if (!facts.isFile() || again.ino !== facts.ino || again.dev !== facts.dev) throw absent(typed)
    const { size, mtimeMs } = facts
    const pieces = (maxBytes = size) => read(handle, { size, mtimeMs, maxBytes: Math.min(maxBytes, size) })
    return {
      ...{ place, size, modifiedAt: mtimeMs, pieces },
      async read(maxBytes) {
        const all: Uint8Array[] = []
        for await (const piece of pieces(maxBytes)) all.push(piece)
        return Buffer.concat(all)
      },
      [Symbol.asyncDispose]: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

interface Reading {
  readonly size: number
  readonly mtimeMs: number
  readonly maxBytes: number
}

async function* read(handle: FileHandle, { size, mtimeMs, maxBytes }: Reading): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < maxBytes; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(PIECE), 0, Math.min(PIECE, maxBytes - at), at)
    const now = await handle.stat()
    if (bytesRead === 0 || now.size !== size || now.mtimeMs !== mtimeMs)
      throw new SvcError('DASHBOARD_FILE_CHANGED', 'The file was changed while it was read. Ask again.', {
        status: 409,
      })
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function absent(typed: string, cause?: unknown): SvcError {
  return new SvcError('DASHBOARD_FILE_ABSENT', `${JSON.stringify(typed)} is no ordinary file.`, { status: 404, cause })
}
