/** Files go through the file system that svc and simplex-chat share. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { abortable } from 'svc/sdk/kit/async'
import { setBounded } from 'svc/sdk/kit/state'
import {
  beforeSending,
  deliveryRefused,
  fileTooLargeError,
  type InboundFile,
  type OutboundFile,
} from 'svc/sdk/platform'
import { z } from 'zod'
import type { Record, SimplexClient } from './client.ts'

interface Transfer {
  readonly done: () => void
  readonly failed: (error: Error) => void
}

const ended = z.object({
  chatItem: z.object({ chatItem: z.object({ file: z.object({ fileId: z.number().int() }) }) }).optional(),
  rcvFileTransfer: z.object({ fileId: z.number().int() }).optional(),
  fileTransferMeta: z.object({ fileId: z.number().int() }).optional(),
})
const MAX_SENT = 100
const RECEIVED = ['rcvFileComplete']
const NOT_RECEIVED = ['rcvFileError', 'rcvFileSndCancelled', 'rcvFileCancelled']
const SENT = ['sndFileCompleteXFTP', 'sndFileError', 'sndFileCancelled']

export class SimplexFiles {
  readonly #client: () => SimplexClient
  readonly #incoming: Map<number, Transfer> = new Map()
  /** Folders of files that leave. */
  readonly #outgoing: Map<number, string> = new Map()

  /** Files that were sent before the answer to their message was read. */
  readonly #sent: Map<number, true> = new Map()

  constructor(client: () => SimplexClient) {
    this.#client = client
  }

  /** Notes what an event says of a file. */
  take(event: Record): void {
    const { chatItem, rcvFileTransfer, fileTransferMeta } = ended.safeParse(event).data ?? {}
    const id = chatItem?.chatItem.file.fileId ?? rcvFileTransfer?.fileId ?? fileTransferMeta?.fileId
    if (id === undefined) return
    if (RECEIVED.includes(event.type)) this.#incoming.get(id)?.done()
    if (NOT_RECEIVED.includes(event.type))
      this.#incoming
        .get(id)
        ?.failed(deliveryRefused('PLATFORM_REFUSED', `simplex-chat could not get the file: ${event.type}.`))
    if (!SENT.includes(event.type)) return
    const folder = this.#outgoing.get(id)
    this.#outgoing.delete(id)
    if (folder === undefined) setBounded(this.#sent, id, true, MAX_SENT)
    else void removeFolder(folder)
  }

  /** Has it written to a folder of its own, and reads it there. */
  async fetch({ ref, name, size = 0 }: InboundFile, { maxBytes, signal }: { maxBytes: number; signal: AbortSignal }) {
    if (maxBytes > 0 && size > maxBytes) throw fileTooLargeError(name, maxBytes)
    const id = Number(ref)
    if (!Number.isInteger(id)) throw deliveryRefused('PLATFORM_REFUSED', 'That is no file of SimpleX.')
    const folder = await makeFolder()
    const path = join(folder, 'file')
    const came = new Promise<void>((done, failed) => this.#incoming.set(id, { done, failed }))
    came.catch(() => undefined)
    const client = this.#client()
    try {
      await client.ask(`/freceive ${id} encrypt=off ${path}`)
      await abortable(came, AbortSignal.any([signal, client.signal]))
      // What it says of the size is said by the sender.
      if (maxBytes > 0 && (await stat(path)).size > maxBytes) throw fileTooLargeError(name, maxBytes)
      return await readFile(path)
    } finally {
      this.#incoming.delete(id)
      await removeFolder(folder)
    }
  }

  /** Where simplex-chat finds the file. */
  async put(file: OutboundFile): Promise<{ readonly path: string; readonly folder: string }> {
    const folder = await beforeSending(makeFolder())
    const path = join(folder, basename(file.name).replace(/[^\p{L}\p{N}._ -]/gu, '_') || 'file')
    await beforeSending(file.bytes().then((bytes) => writeFile(path, bytes, { mode: 0o600 })))
    return { path, folder }
  }

  /** It is being sent, and removed afterwards. */
  sending(fileId: number | undefined, folder: string): void {
    if (fileId === undefined) return
    if (this.#sent.has(fileId)) void removeFolder(folder)
    else this.#outgoing.set(fileId, folder)
  }
}

function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'svc-simplex-'))
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true }).catch(() => undefined)
}
