/** Where a topic was read up to, so that nothing is lost while svc is away. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { NtfyEvent } from './api.ts'

const place = z.object({ topic: z.string(), time: z.number(), ids: z.array(z.string()) })

/**
 * The time of the newest message that was taken, and the ids of those with that time: `since` takes a time or an id, and
 * with an id a message would be lost that was scheduled before it and delivered after it.
 */
export class Place {
  readonly #file: string
  readonly #warn: (message: string) => void
  #at: z.infer<typeof place> = { topic: '', time: 0, ids: [] }
  #written: Promise<void> = Promise.resolve()

  constructor(file: string, warn: (message: string) => void) {
    this.#file = file
    this.#warn = warn
  }

  /** What `since` is for this topic (its whole address); undefined when it was never read. */
  async since(topic: string): Promise<number | undefined> {
    if (this.#at.topic !== topic) this.#at = (await this.#read(topic)) ?? { topic, time: 0, ids: [] }
    return this.#at.time || undefined
  }

  /** A topic that is read for the first time is read from here. */
  async begin({ time }: NtfyEvent): Promise<void> {
    if (this.#at.time === 0) await this.#keep({ ...this.#at, time })
  }

  has({ id }: NtfyEvent): boolean {
    return this.#at.ids.includes(id)
  }

  async advance({ id, time }: NtfyEvent): Promise<void> {
    if (time < this.#at.time) return
    await this.#keep({ ...this.#at, time, ids: time === this.#at.time ? [...this.#at.ids, id] : [id] })
  }

  /** Resolves when nothing is being written. */
  written(): Promise<void> {
    return this.#written
  }

  #keep(at: z.infer<typeof place>): Promise<void> {
    this.#at = at
    this.#written = this.#written.then(() => this.#write(at))
    return this.#written
  }

  async #write(at: z.infer<typeof place>): Promise<void> {
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      await writeFile(`${this.#file}.new`, JSON.stringify(at), { mode: 0o600 })
      await rename(`${this.#file}.new`, this.#file)
    } catch (error) {
      this.#warn(`The place in the topic could not be written to ${this.#file}: ${error}`)
    }
  }

  async #read(topic: string): Promise<z.infer<typeof place> | undefined> {
    try {
      const kept = place.parse(JSON.parse(await readFile(this.#file, 'utf8')))
      return kept.topic === topic ? kept : undefined
    } catch (error) {
      // Without the file the topic was never read; with a broken one it is read from now on, as if it were new.
      if ((error as { code?: unknown }).code !== 'ENOENT') this.#warn(`${this.#file} cannot be read: ${error}`)
      return undefined
    }
  }
}
