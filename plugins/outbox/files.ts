/** Files that leave: looked at, copied, and kept until they were sent. */
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { errorMessage, type Random, SvcError } from 'svc/sdk'
import type { KeptFile } from './store.ts'

/** No platform takes more. */
const MOST_BYTES = 100 * 2 ** 20

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.zip': 'application/zip',
}

export class OutboxFiles {
  readonly #folder: string
  readonly #random: () => Random

  constructor(folder: string, random: () => Random) {
    this.#folder = folder
    this.#random = random
  }

  /** Copies them, all or none. Throws `OUTBOX_FILE`. */
  keep(paths: readonly string[]): readonly KeptFile[] {
    const kept: KeptFile[] = []
    try {
      for (const path of paths) kept.push(this.#copy(path))
      return kept
    } catch (cause) {
      this.drop(kept)
      const message = `${basename(paths[kept.length] ?? '')} cannot be sent: ${errorMessage(cause)}.`
      throw new SvcError('OUTBOX_FILE', message, { status: 400, cause })
    }
  }

  drop(files: readonly KeptFile[]): void {
    for (const { path } of files) rmSync(path, { force: true })
  }

  #copy(path: string): KeptFile {
    const { size } = statSync(path)
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, and at most ${MOST_BYTES} are sent`)
    const extension = extname(path).toLowerCase()
    const copy = join(this.#folder, `${this.#random().uuid()}${extension}`)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    copyFileSync(path, copy)
    return { path: copy, name: basename(path), mediaType: MEDIA_TYPES[extension] ?? 'application/octet-stream' }
  }
}
