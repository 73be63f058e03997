/** Since when events are read, and which was the last that is safe: kept over restarts, so that nothing is lost. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const kept = z.object({
  url: z.string(),
  account: z.string(),
  /** When reading began, in milliseconds since 1970: what is older is not answered. */
  since: z.number(),
  lastId: z.string().optional(),
})
export type Place = z.infer<typeof kept>

/** The file of one plugin. A file that cannot be read counts as none: then only what comes next is read. */
export class PlaceFile {
  readonly #folder: string
  #last: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(): Promise<Place | undefined> {
    const text = await readFile(this.#file(), 'utf8').catch(() => '')
    try {
      return kept.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  }

  /** Whole or not at all, one after the other. */
  write(place: Place): Promise<void> {
    const written = this.#last.then(() => this.#write(place))
    this.#last = written.catch(() => undefined)
    return written
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.#last
  }

  async #write(place: Place): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const draft = `${this.#file()}.new`
    await writeFile(draft, JSON.stringify(place), { mode: 0o600 })
    await rename(draft, this.#file())
  }

  #file(): string {
    return join(this.#folder, 'place.json')
  }
}
