/** Counts how often changes of a file failed in a row: a model that keeps guessing is told to read the file. */

const MAX_FILES = 500
const MANY = 3

/** Bounded; the file that was missed longest ago is forgotten first. */
export class Misses {
  readonly #counts = new Map<string, number>()

  /** Notes a failure. Returns advice from the third one on. */
  add(session: string, path: string): string {
    const key = `${session}\n${path}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.delete(key)
    this.#counts.set(key, count)
    const [oldest] = this.#counts.size > MAX_FILES ? this.#counts.keys() : []
    if (oldest !== undefined) this.#counts.delete(oldest)
    if (count < MANY) return ''
    const how = 'Do not guess again: read the file now, copy old_string from what it shows without the line numbers'
    return ` That was failure ${count} on this file. ${how}, change fewer lines at once, or write the whole file.`
  }

  clear(session: string, path: string): void {
    this.#counts.delete(`${session}\n${path}`)
  }
}
