/**
 * What was typed before: a file of JSON lines that all processes append to. The newest of equal entries counts. Up and
 * down go through the entries that begin like the draft.
 */
import { appendFile, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A text that was sent. */
export interface HistoryEntry {
  /** As it was seen: folds by their labels. */
  readonly text: string
  /** Where the texts of its folds are kept, by their labels. */
  readonly folds?: Readonly<Record<string, string>>
}

export interface HistoryDeps {
  readonly file: string
  /** Told when the file cannot be read or written: then this process has its own entries only. */
  failed(error: unknown): void
}

const MAX_ENTRIES = 1000
/** The file is made shorter when it has more lines than this. */
const MAX_LINES = 2 * MAX_ENTRIES
/** A longer text is not kept. */
const MAX_ENTRY_LENGTH = 100_000

export class History {
  readonly #deps: HistoryDeps
  readonly #entries = new Map<string, HistoryEntry>()
  /** Bytes of the file that were read, and of which file. */
  #read = { bytes: 0, node: 0, lines: 0 }
  #work: Promise<void> = Promise.resolve()
  /** The entries that are gone through, the oldest first, and the one that is shown. */
  #walk: { readonly found: readonly HistoryEntry[]; at: number } | undefined

  constructor(deps: HistoryDeps) {
    this.#deps = deps
    this.refresh()
  }

  /** Reads what other processes have added. */
  refresh(): void {
    this.#next(() => this.#readNew())
  }

  /** Keeps a text; `entry` may take its time, as long as folds are being written. */
  add(text: string, entry: Promise<HistoryEntry>): void {
    if (text.trim() === '' || text.length > MAX_ENTRY_LENGTH) return
    this.#remember({ text })
    this.#next(async () => {
      const whole = await entry
      this.#remember(whole)
      await mkdir(dirname(this.#deps.file), { recursive: true, mode: 0o700 })
      await appendFile(this.#deps.file, `${JSON.stringify(whole)}\n`, { mode: 0o600 })
      await this.#readNew()
    })
  }

  /** The entry before the one that is shown, of those that begin with `beginning`. */
  older(beginning: string): HistoryEntry | undefined {
    this.#walk ??= this.#begin(beginning)
    const entry = this.#walk.found[this.#walk.at - 1]
    if (entry) this.#walk.at -= 1
    return entry
  }

  /** The entry after the one that is shown; `draft` behind the newest; undefined when none is shown. */
  newer(): HistoryEntry | 'draft' | undefined {
    const walk = this.#walk
    if (!walk || walk.at >= walk.found.length) return undefined
    walk.at += 1
    return walk.found[walk.at] ?? 'draft'
  }

  /** Editing an entry makes it a new draft. */
  leave(): void {
    this.#walk = undefined
  }

  /** The newest entry that holds the words, in any case; `skip` of them are passed over. */
  find(words: string, skip: number): HistoryEntry | undefined {
    const wanted = words.toLowerCase()
    return [...this.#entries.values()].reverse().filter(({ text }) => text.toLowerCase().includes(wanted))[skip]
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#work
  }

  #begin(beginning: string) {
    const found = [...this.#entries.values()].filter(({ text }) => text.startsWith(beginning) && text !== beginning)
    return { found, at: found.length }
  }

  #remember(entry: HistoryEntry): void {
    this.#entries.delete(entry.text)
    this.#entries.set(entry.text, entry)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break
      this.#entries.delete(oldest)
    }
  }

  #next(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => this.#deps.failed(error))
  }

  async #readNew(): Promise<void> {
    const stats = await stat(this.#deps.file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (!stats) return
    const isOther = stats.ino !== this.#read.node || stats.size < this.#read.bytes
    if (isOther) this.#read = { bytes: 0, node: stats.ino, lines: 0 }
    const text = await readFrom(this.#deps.file, this.#read.bytes)
    // What follows the last line feed is still being written.
    const whole = text.subarray(0, text.lastIndexOf('\n') + 1)
    const lines = whole.toString().split('\n').slice(0, -1)
    for (const line of lines) {
      const entry = parseEntry(line)
      if (entry) this.#remember(entry)
    }
    this.#read = { node: stats.ino, bytes: this.#read.bytes + whole.length, lines: this.#read.lines + lines.length }
    if (this.#read.lines > MAX_LINES) await this.#shorten()
  }

  /** Postponed if another process has just added a line. */
  async #shorten(): Promise<void> {
    const { file } = this.#deps
    const draft = `${file}.${process.pid}.part`
    const lines = [...this.#entries.values()].map((entry) => `${JSON.stringify(entry)}\n`)
    try {
      await writeFile(draft, lines.join(''), { mode: 0o600 })
      if ((await stat(file)).size !== this.#read.bytes) return
      await rename(draft, file)
      const { ino, size } = await stat(file)
      this.#read = { node: ino, bytes: size, lines: lines.length }
    } finally {
      await rm(draft, { force: true })
    }
  }
}

async function readFrom(path: string, start: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const parts: Buffer[] = []
    for await (const part of file.createReadStream({ start, autoClose: false })) parts.push(part as Buffer)
    return Buffer.concat(parts)
  } finally {
    await file.close()
  }
}

/** An invalid line, such as one cut off by a full disk, is skipped. */
function parseEntry(line: string): HistoryEntry | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  const { text, folds } = (value ?? {}) as { text?: unknown; folds?: unknown }
  if (typeof text !== 'string') return undefined
  const isMap =
    typeof folds === 'object' && folds !== null && Object.values(folds).every((at) => typeof at === 'string')
  return { text, ...(isMap && { folds: folds as Record<string, string> }) }
}
