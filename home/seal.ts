/** Marks what svc wrote, so that it knows its own files again: a keyed hash, with a key in the closed part of the home. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A program that can read the key can forge a mark: file tools cannot, and a command that does is asked about. It is no
 * defence against another program of the same user.
 */
export class Seal {
  readonly #file: string
  #key: Buffer | undefined

  /** The key is stored below `home` and created at the first use. */
  constructor(home: string) {
    this.#file = join(home, 'data', 'kernel', 'seal.key')
  }

  /** The mark of a text. */
  mark(text: string): string {
    this.#key ??= this.#read() ?? this.#make()
    return createHmac('sha256', this.#key).update(text).digest('hex')
  }

  /** Whether the mark belongs to this text; always false without a key. */
  holds(text: string, mark: string): boolean {
    this.#key ??= this.#read()
    if (this.#key === undefined) return false
    const right = Buffer.from(this.mark(text))
    const given = Buffer.from(mark.trim())
    return right.length === given.length && timingSafeEqual(right, given)
  }

  #read(): Buffer | undefined {
    return existsSync(this.#file) ? Buffer.from(readFileSync(this.#file, 'utf8'), 'hex') : undefined
  }

  #make(): Buffer {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    try {
      writeFileSync(this.#file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 })
    } catch (error) {
      // Another process made it at this moment.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    return Buffer.from(readFileSync(this.#file, 'utf8'), 'hex')
  }
}
