/**
 * A shortcut for the bulk of every stream: chunks that differ from the one before in their text only. Where the bytes
 * around the text are the same, so is their meaning, and the text can be cut out without parsing (1.0 us saved of 1.4).
 */

/** Some servers put a random field in every chunk; then nothing is gained and learning stops. */
const MAX_MISSES = 16
const KEYS = ['"content":"', '"content": "']
/** Text with these is not written as it reads, or is no JSON. */
const NEEDS_PARSING = /["\\\u0000-\u001f]/

/** Remembers the last chunk that was nothing but text. */
export class TextPattern {
  #before = ''
  #after = ''
  #misses = 0

  /** The text of a chunk like the one learned, or undefined when it has to be parsed. */
  read(data: string): string | undefined {
    const start = this.#before.length
    const end = data.length - this.#after.length
    // Comparing slices is three times faster than startsWith and endsWith.
    if (start === 0 || end < start || data.slice(0, start) !== this.#before || data.slice(end) !== this.#after)
      return undefined
    const text = data.slice(start, end)
    if (NEEDS_PARSING.test(text)) return undefined
    this.#misses = 0
    return text
  }

  /** Takes a chunk that says nothing but `text`. */
  learn(data: string, text: string): void {
    if (this.#misses >= MAX_MISSES) return
    this.#misses += 1
    this.#before = ''
    for (const key of KEYS) {
      const start = data.indexOf(key) + key.length
      const written = JSON.stringify(text).slice(1, -1)
      const isOnly = start >= key.length && data.indexOf(key, start) < 0
      if (!isOnly || !data.startsWith(`${written}"`, start)) continue
      this.#before = data.slice(0, start)
      this.#after = data.slice(start + written.length)
    }
  }
}
