/** Short lines that a person sees, and the long texts that a model reads in their place. */

/** Lines that wait for their turn; a forgotten one is as harmless as the line itself. */
const MAX_WAITING = 100

export class Expansions {
  readonly #waiting: { readonly sessionId: string; readonly line: string; readonly text: string }[] = []

  /** The next message of the session with this line is read as the text. */
  add(sessionId: string, line: string, text: string): void {
    this.#waiting.push({ sessionId, line, text })
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
  }

  /** The text for a message, once; undefined for any other message. */
  take(sessionId: string, line: string): string | undefined {
    const at = this.#waiting.findIndex((each) => each.sessionId === sessionId && each.line === line)
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.text
  }
}
