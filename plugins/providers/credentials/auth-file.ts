/** Reads `auth.json`, again only when it has changed. What writes it is loaded when something is written. */
import { readFileSync, statSync } from 'node:fs'
import { type Clock, errorMessage, type Logger, type Random, type Secrets } from 'svc/sdk'
import { forgetRemoved, listSecrets, parseStored, type Stored, unreadable } from './stored-keys.ts'

export interface AuthFileDeps {
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Pick<Secrets, 'protect'>
  readonly log: Logger
}

/** The file of one home. All its secrets are masked from the first reading on. */
export class AuthFile {
  readonly path: string
  #deps: AuthFileDeps
  #seen: { readonly stamp: string; readonly stored: Stored } | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(path: string, deps: AuthFileDeps) {
    this.path = path
    this.#deps = deps
  }

  /** One look at the disk; undefined when there is no file. Not to be changed. Throws `CREDENTIALS_UNREADABLE`. */
  read(): Stored | undefined {
    try {
      const found = statSync(this.path, { bigint: true, throwIfNoEntry: false })
      if (!found) return undefined
      const stamp = `${found.ino} ${found.size} ${found.mtimeNs}`
      if (this.#seen?.stamp === stamp) return this.#seen.stored
      if ((found.mode & 0o077n) !== 0n && process.platform !== 'win32')
        this.#deps.log.warn('others can read the keys in this file; type chmod 600', { file: this.path })
      const stored = parseStored(readFileSync(this.path, 'utf8'), this.path)
      for (const secret of listSecrets(stored)) this.#deps.secrets.protect(secret)
      this.#seen = { stamp, stored }
      return stored
    } catch (error) {
      throw error instanceof Error && error.name === 'SvcError'
        ? error
        : unreadable(this.path, errorMessage(error), error)
    }
  }

  /**
   * Changes the file as it is now, one change after the other, whatever process asks. `change` gets a copy of its own
   * and may be asynchronous. Rejects with `CREDENTIALS_UNREADABLE`, `CREDENTIALS_LOCKED` or `CREDENTIALS_WRITE_FAILED`.
   */
  update<T>(change: (stored: Stored) => T | Promise<T>): Promise<T> {
    const { clock, random, secrets } = this.#deps
    const done = this.#writing.then(async () => {
      const { changeFile } = await import('./change-file.ts')
      return changeFile(this.path, { clock, random }, async (stored) => {
        forgetRemoved(stored, clock.now())
        const result = await change(stored)
        for (const secret of listSecrets(stored)) secrets.protect(secret)
        return result
      })
    })
    this.#writing = done.catch(() => undefined)
    return done
  }

  /** Resolves when everything that was asked for is written or has failed. */
  async settled(): Promise<void> {
    await this.#writing
  }
}
