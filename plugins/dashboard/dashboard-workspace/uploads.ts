/** Files on their way here, piece by piece: none is in memory, and each gets its name when it is whole. */
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Clock, type Dispose, errorMessage, Random, SvcError } from 'svc/sdk'
import { flushFolder } from 'svc/sdk/kit/files'
import type { Context, Place } from './workspace.ts'

/** Bytes of one file. */
export const MAX_UPLOAD = 100 * 2 ** 20
/** Bytes of one piece. */
export const PIECE_BYTES = 4 * 2 ** 20
const MAX_OPEN = 8
const IDLE_MS = 15 * 60_000

export interface UploadOptions {
  readonly size: number
  /** Replaces a file that is there, unless that changes meanwhile. */
  readonly overwrite: boolean
}

interface Upload extends UploadOptions {
  readonly place: Place
  readonly file: string
  readonly handle: FileHandle
  /** The file that is replaced, as it was at the beginning. */
  readonly before: string
  received: number
  /** Pieces are written one after the other. */
  isBusy: boolean
  forget: Dispose
}

export class Uploads {
  readonly #ctx: Context
  readonly #open = new Map<string, Upload>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Throws `DASHBOARD_FILE_SIZE`, `DASHBOARD_FILE_TAKEN`, `DASHBOARD_UPLOAD`. */
  async begin(place: Place, options: UploadOptions): Promise<string> {
    if (options.size > MAX_UPLOAD)
      throw new SvcError('DASHBOARD_FILE_SIZE', `Uploads have at most ${MAX_UPLOAD / 2 ** 20} MiB.`, { status: 413 })
    if (this.#open.size >= MAX_OPEN)
      throw new SvcError('DASHBOARD_UPLOAD', `There are ${MAX_OPEN} uploads under way. Wait for one.`, { status: 429 })
    const before = await readState(place.path)
    if (before === 'folder' || (before !== '' && !options.overwrite)) throw taken(place)
    const id = this.#ctx.use(Random).hex(16)
    const file = join(dirname(place.path), `.${basename(place.path)}.svc-upload-${id.slice(0, 8)}`)
    const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
      throw new SvcError('DASHBOARD_FILE_TAKEN', `Nothing can be stored there: ${errorMessage(cause)}`, {
        status: 409,
        cause,
      })
    })
    this.#open.set(id, { ...options, place, file, handle, before, received: 0, isBusy: false, forget: () => {} })
    this.#keep(id)
    return id
  }

  /** Resolves with the bytes received so far. Throws `DASHBOARD_UPLOAD` and `DASHBOARD_FILE_SIZE`. */
  async write(id: string, offset: number, bytes: Uint8Array): Promise<number> {
    const upload = this.#find(id)
    if (upload.isBusy || offset !== upload.received)
      throw new SvcError('DASHBOARD_UPLOAD', `The next piece begins at ${upload.received}.`, { status: 409 })
    if (offset + bytes.byteLength > upload.size) {
      await this.drop(id)
      throw new SvcError('DASHBOARD_FILE_SIZE', 'More came than was announced: the file changed.', { status: 409 })
    }
    upload.isBusy = true
    try {
      await writeWhole(upload.handle, bytes, offset)
    } finally {
      upload.isBusy = false
    }
    upload.received += bytes.byteLength
    this.#keep(id)
    return upload.received
  }

  /** Gives the file its name. Throws `DASHBOARD_UPLOAD`, `DASHBOARD_FILE_SIZE` and `DASHBOARD_FILE_TAKEN`; nothing is left then. */
  async finish(id: string): Promise<Place> {
    const upload = this.#find(id)
    const { place, file, handle, received, size } = upload
    try {
      if (received !== size || upload.isBusy)
        throw new SvcError('DASHBOARD_FILE_SIZE', `${received} of ${size} bytes came: the file changed.`, {
          status: 409,
        })
      await handle.sync()
      if ((await readState(place.path)) !== upload.before) throw taken(place)
      // Of two programs that make the same new file one is told.
      if (upload.before === '') await linkNew(file, place)
      else await rename(file, place.path)
      await flushFolder(dirname(place.path))
      return place
    } finally {
      await this.drop(id)
    }
  }

  /** Whether there was one. */
  async drop(id: string): Promise<boolean> {
    const upload = this.#open.get(id)
    if (!upload) return false
    this.#open.delete(id)
    void upload.forget()
    await upload.handle.close()
    await rm(upload.file, { force: true })
    return true
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.drop(id)))
  }

  #find(id: string): Upload {
    const upload = this.#open.get(id)
    if (upload) return upload
    throw new SvcError('DASHBOARD_UPLOAD', 'There is no such upload, or it was left for too long.', { status: 404 })
  }

  /** A page that was closed does not come back. */
  #keep(id: string): void {
    const upload = this.#find(id)
    void upload.forget()
    upload.forget = this.#ctx.use(Clock).after(IDLE_MS, () => void this.drop(id), { background: true })
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; )
    done += (await handle.write(bytes, done, bytes.byteLength - done, offset + done)).bytesWritten
}

async function linkNew(file: string, place: Place): Promise<void> {
  try {
    await link(file, place.path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw taken(place, cause)
    throw cause
  }
}

/** Tells one state of a file from another; empty: it is not there. */
async function readState(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined)
  if (!facts) return ''
  return facts.isFile() ? `${facts.ino} ${facts.size} ${facts.mtimeMs}` : 'folder'
}

function taken({ name }: Place, cause?: unknown): SvcError {
  const message = `${JSON.stringify(name)} is there, or was changed meanwhile. Nothing was overwritten.`
  return new SvcError('DASHBOARD_FILE_TAKEN', message, { status: 409, cause })
}
