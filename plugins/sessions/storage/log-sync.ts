/** Brings the write-ahead log of a database to the disk in a separate thread, so that the program is not blocked. */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

/**
 * SQLite's own commits write the log in order and without waiting: whatever was committed before a sync of the log
 * survives a power cut after it, and callers that ask while one is under way share the next. The locks of a database
 * lie in its other files, so closing this descriptor takes none of them away (https://www.sqlite.org/wal.html, section
 * 2.2).
 */
export class LogSync {
  readonly #file: string
  #descriptor: number | undefined
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #isBusy = false
  #isOver = false

  /** Of a database that is in this mode for as long as it is open. */
  constructor(database: string) {
    this.#file = `${database}-wal`
  }

  /** Resolves when all that was committed before survives a power cut. Rejects with the error of the system. */
  ask(): Promise<void> {
    // The one under way may have begun before the newest commit.
    this.#next ??= this.#after(this.#last)
    return this.#next
  }

  /** All waiting callers have been served when this returns. Called before the log is closed with its database. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    try {
      if (this.#next || this.#isBusy) fdatasyncSync(this.#open())
    } finally {
      if (!this.#isBusy) this.#close()
    }
  }

  async #after(last: Promise<void>): Promise<void> {
    await last.catch(() => {})
    // All who end something in this round of the event loop come along.
    await new Promise((resolve) => setImmediate(resolve))
    this.#last = this.#sync()
    this.#next = undefined
    await this.#last
  }

  async #sync(): Promise<void> {
    if (this.#isOver) return
    const descriptor = this.#open()
    this.#isBusy = true
    try {
      await new Promise<void>((resolve, reject) =>
        fdatasync(descriptor, (error) => (error ? reject(error) : resolve())),
      )
    } finally {
      this.#isBusy = false
      if (this.#isOver) this.#close()
    }
  }

  #open(): number {
    // Windows brings only files to the disk that may be written.
    this.#descriptor ??= openSync(this.#file, 'r+')
    return this.#descriptor
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}
