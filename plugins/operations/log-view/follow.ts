/** Lines of a file as they are written, whatever becomes of the file. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { Clock } from 'svc/sdk'
import { listParts } from './read.ts'

const LOOK_MS = 300
const CHUNK = 65_536

/** An open part of the file. It is read to its end also after it was renamed or removed. */
class OpenPart implements Disposable {
  readonly #fd: number
  #at: number
  #rest = Buffer.alloc(0)

  constructor(path: string, from: 'start' | 'end') {
    this.#fd = openSync(path, 'r')
    this.#at = from === 'end' ? fstatSync(this.#fd).size : 0
  }

  get inode(): number {
    return fstatSync(this.#fd).ino
  }

  /** Whole lines that were written since; a line without an end waits for it. */
  *lines(): Generator<string> {
    // A file that was emptied begins again.
    if (fstatSync(this.#fd).size < this.#at) {
      this.#at = 0
      this.#rest = Buffer.alloc(0)
    }
    const chunk = Buffer.alloc(CHUNK)
    for (let count = this.#read(chunk); count > 0; count = this.#read(chunk)) {
      let held = Buffer.concat([this.#rest, chunk.subarray(0, count)])
      for (let end = held.indexOf(10); end >= 0; end = held.indexOf(10)) {
        yield held.subarray(0, end).toString('utf8')
        held = held.subarray(end + 1)
      }
      this.#rest = Buffer.from(held)
    }
  }

  #read(chunk: Buffer): number {
    const count = readSync(this.#fd, chunk, 0, chunk.length, this.#at)
    this.#at += count
    return count
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }
}

/** Begins at the end of the file; one that does not exist yet is read from its start. Ends when `signal` aborts. */
export async function* followLines(path: string, clock: Clock, signal: AbortSignal): AsyncGenerator<string> {
  let part = existsSync(path) ? new OpenPart(path, 'end') : undefined
  try {
    while (!signal.aborted) {
      if (part) yield* part.lines()
      for (const newer of listNewer(path, part?.inode)) {
        // What was written between the last look and the rotation.
        if (part) yield* part.lines()
        part?.[Symbol.dispose]()
        part = new OpenPart(newer, 'start')
        yield* part.lines()
      }
      await clock.sleep(LOOK_MS, signal).catch(() => {})
    }
  } finally {
    part?.[Symbol.dispose]()
  }
}

/** Parts that are newer than the one that is read, oldest first. Of an unknown one only the file itself is. */
function listNewer(path: string, inode: number | undefined): string[] {
  const parts = listParts(path)
  const at =
    inode === undefined ? -1 : parts.findIndex((part) => statSync(part, { throwIfNoEntry: false })?.ino === inode)
  if (at >= 0) return parts.slice(0, at).reverse()
  return parts.filter((part) => part === path)
}
