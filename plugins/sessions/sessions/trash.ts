/** The way back: copies of what is removed, in the form and folder that `svc sessions import` knows. */
import { closeSync, fsync, ftruncateSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, errorMessage, type Random, SvcError } from 'svc/sdk'

const DAY_MS = 86_400_000
/** How long there is a way back. */
const KEPT_MS = 30 * DAY_MS
/** Copies of all removals together; the newest stays, whatever its size. */
const MAX_BYTES = 1024 ** 3
/** What the first keys of an export are. */
export const FORMAT = { format: 'svc-session', version: 1 } as const
/** Other plugins have files in the folder, too. */
const COPY = /^sessions-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-[0-9a-f]+\.jsonl$/

/** Where copies are, and what names them. */
export interface TrashDeps {
  readonly folder: string
  readonly clock: Clock
  readonly random: Random
}

export class Trash {
  readonly #deps: TrashDeps

  constructor(deps: TrashDeps) {
    this.#deps = deps
  }

  /** For the copies of one removal. */
  begin(): TrashFile {
    const { folder, clock, random } = this.#deps
    const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/\D/g, '')
    return new TrashFile(folder, join(folder, `sessions-${time}-${random.hex(2)}.jsonl`))
  }

  /** Removes copies that are too old, where the time is sure, and the oldest that are too much. Never throws. */
  tidy(isTimeSure: (limit: number) => boolean): void {
    const limit = this.#deps.clock.now() - KEPT_MS
    const copies = this.#copies()
    const isOld = copies.some(({ at }) => at < limit) && isTimeSure(limit)
    let bytes = 0
    for (const [index, { file, at, size }] of copies.entries()) {
      bytes += size
      if ((isOld && at < limit) || (index > 0 && bytes > MAX_BYTES)) rmSync(file, { force: true })
    }
  }

  /** The newest first. */
  #copies() {
    const { folder } = this.#deps
    return listNames(folder)
      .flatMap((name) => {
        const [, year, month, ...rest] = COPY.exec(name)?.map(Number) ?? []
        const file = join(folder, name)
        const found = year === undefined ? undefined : statSync(file, { throwIfNoEntry: false })
        if (!found?.isFile()) return []
        const at = Date.UTC(year as number, (month as number) - 1, ...rest)
        return [{ file, at, size: found.size, written: found.mtimeMs }]
      })
      .toSorted((one, two) => two.written - one.written || two.at - one.at)
  }
}

/** One file, made when something is kept. Each method but `close` throws `SESSION_TRASH` when the disk does not take it. */
export class TrashFile {
  readonly file: string
  readonly #folder: string
  #open: number | undefined
  /** What is written, and what of it is whole lines on the disk. */
  #size = 0
  #kept = 0

  constructor(folder: string, file: string) {
    this.#folder = folder
    this.file = file
  }

  /** Adds a piece of a line. */
  write(piece: string): void {
    this.#try(() => {
      this.#open ??= this.#make()
      const bytes = Buffer.from(piece)
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#open, bytes, done, bytes.length - done, this.#size + done)
      this.#size += bytes.length
    })
  }

  /** Resolves once all that was written is on the disk, without keeping the program waiting. */
  async keep(): Promise<void> {
    const open = this.#open
    if (open === undefined) return
    await new Promise<void>((resolve, reject) => {
      fsync(open, (error) => (error ? reject(this.#lose(error)) : resolve()))
    })
    this.#kept = this.#size
  }

  /** Removes it where nothing in it is needed. */
  close({ isNeeded }: { readonly isNeeded: boolean }): void {
    if (this.#open === undefined) return
    closeSync(this.#open)
    this.#open = undefined
    if (!isNeeded) rmSync(this.file, { force: true })
  }

  /** When it throws, the file has what was kept before. */
  #try(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw this.#lose(error)
    }
  }

  #lose(error: unknown): SvcError {
    try {
      if (this.#open !== undefined) ftruncateSync(this.#open, this.#kept)
    } catch {
      // The disk that failed fails again: a line that is cut off is refused by an import, and what was kept stays before it.
    }
    this.#size = this.#kept
    const done = this.#kept > 0 ? 'Only what has a copy was removed' : 'Nothing was removed'
    const message = `${done}: ${this.file} cannot be written (${errorMessage(error)}). Look at the disk, then try again.`
    return new SvcError('SESSION_TRASH', message, { cause: error })
  }

  #make(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    return openSync(this.file, 'wx', 0o600)
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing was removed yet.
    return []
  }
}
