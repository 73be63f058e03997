/**
 * A file to which records are only ever added: the state of the encryption as it changed. A record that a kill cut off is dropped, because
 * nothing was sent after it.
 */
import { createHash } from 'node:crypto'
import { closeSync, fchmodSync, fdatasync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { SvcError } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'

const CHECK_LENGTH = 16
const flush = promisify(fdatasync)

export class Journal {
  readonly #file: string
  #handle: number
  #size: number
  #failure: unknown
  #isDirty = false

  private constructor(file: string, size: number) {
    this.#file = file
    this.#handle = openSync(file, 'a', 0o600)
    fchmodSync(this.#handle, 0o600)
    ftruncateSync(this.#handle, size)
    this.#size = size
  }

  /** The records of a file, which is made if it is missing. Throws `MATRIX_KEYS_DAMAGED` for one that was changed. */
  static open(file: string): { readonly journal: Journal; readonly records: readonly unknown[] } {
    const { records, size } = readRecords(file)
    return { journal: new Journal(file, size), records }
  }

  /** In bytes. */
  get size(): number {
    return this.#size
  }

  /** Survives the death of the process. Never throws: `flushed` tells of a failure. */
  append(record: unknown): void {
    if (this.#failure) return
    const line = toLine(record)
    try {
      for (let at = 0; at < line.length; ) at += writeSync(this.#handle, line, at)
      this.#size += line.length
      this.#isDirty = true
    } catch (error) {
      // A part of the record stays at the end, and is dropped at the next opening.
      this.#failure = error
    }
  }

  /** Resolves when all records survive a power cut. After a failure it always rejects: what is in memory is not in the file. */
  async flushed(): Promise<void> {
    if (!this.#failure && this.#isDirty) {
      this.#isDirty = false
      await flush(this.#handle).catch((error: unknown) => {
        this.#failure = error
      })
    }
    if (!this.#failure) return
    const advice = 'Free space on the disk or correct its rights; it is tried again at the next connection.'
    throw new SvcError('MATRIX_KEYS_UNSTORED', `The keys of Matrix cannot be written to ${this.#file}. ${advice}`, {
      cause: this.#failure,
    })
  }

  /** Replaces all records in one step. */
  replace(records: readonly unknown[]): void {
    writeAtomicallySync(this.#file, Buffer.concat(records.map(toLine)))
    closeSync(this.#handle)
    this.#handle = openSync(this.#file, 'a', 0o600)
    this.#size = readFileSync(this.#file).length
  }

  close(): void {
    this.#failure ??= new Error('The file is closed.')
    closeSync(this.#handle)
  }
}

function toLine(record: unknown): Buffer {
  const text = serialize(record).toString('base64')
  return Buffer.from(`${checksum(text)} ${text}\n`)
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CHECK_LENGTH)
}

function readRecords(file: string): { readonly records: readonly unknown[]; readonly size: number } {
  const lines = readOrEmpty(file).split('\n')
  const records: unknown[] = []
  let size = 0
  for (const [at, line] of lines.entries()) {
    const text = line.slice(CHECK_LENGTH + 1)
    const isWhole = at < lines.length - 1 && line.slice(0, CHECK_LENGTH) === checksum(text)
    if (isWhole) {
      records.push(deserialize(Buffer.from(text, 'base64')))
      size += line.length + 1
    } else if (at < lines.length - 2) throw damaged(file)
  }
  return { records, size }
}

/** The keys of a device cannot be used any more, and what to do. */
export function damaged(file: string, cause?: unknown): SvcError {
  const advice = 'Restore nothing older in its place. Move its folder away and log in as a new device (see the README).'
  return new SvcError('MATRIX_KEYS_DAMAGED', `The keys of this Matrix device in ${file} are damaged. ${advice}`, {
    cause,
  })
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
