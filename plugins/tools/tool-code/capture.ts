/** Keeps the beginning and the end of what a script prints. */
import { StringDecoder } from 'node:string_decoder'

/** At most `limit` characters: two fifths of them from the beginning, the rest from the end. */
export class Capture {
  readonly #decoder: StringDecoder = new StringDecoder('utf8')
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = ''
  #tail = ''
  #omitted = 0

  constructor(limit: number) {
    this.#headLimit = Math.floor(limit * 0.4)
    this.#tailLimit = limit - this.#headLimit
  }

  add(bytes: Buffer): void {
    const text = this.#decoder.write(bytes)
    const room = this.#headLimit - this.#head.length
    this.#head += text.slice(0, Math.max(0, room))
    const tail = this.#tail + text.slice(Math.max(0, room))
    const over = Math.max(0, tail.length - this.#tailLimit)
    this.#omitted += over
    this.#tail = tail.slice(over)
  }

  text(): string {
    if (this.#omitted === 0) return this.#head + this.#tail
    return `${this.#head}\n[${this.#omitted} characters left out]\n${this.#tail}`
  }
}
