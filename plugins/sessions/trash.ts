/** Copies of what is removed without being asked for, in the form and folder that `svc sessions import` knows. */
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { exportSession } from './archive.ts'
import type { Shelf } from './shelf.ts'

/** What the first keys of an export are. */
const FORMAT = { format: 'svc-session', version: 1 } as const

/** One file, made when something is kept. */
export class Trash {
  readonly file: string
  #open: number | undefined
  #size = 0

  constructor(file: string) {
    this.file = file
  }

  /** Returns once they are on the disk; when it throws, the file is as it was. */
  keep(shelf: Shelf, ids: readonly string[]): void {
    this.#open ??= this.#make()
    try {
      let at = this.#size
      for (const id of ids) at += this.#write(`${JSON.stringify({ ...FORMAT, ...exportSession(shelf, id) })}\n`, at)
      fsyncSync(this.#open)
      this.#size = at
    } catch (error) {
      ftruncateSync(this.#open, this.#size)
      throw error
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open)
    this.#open = undefined
  }

  #make(): number {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
    return openSync(this.file, 'wx', 0o600)
  }

  #write(text: string, at: number): number {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#open as number, bytes, done, bytes.length - done, at + done)
    return bytes.length
  }
}
