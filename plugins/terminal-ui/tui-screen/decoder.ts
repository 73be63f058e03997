/** Decodes the bytes of a terminal as input: keys, text, pastes, the mouse. */
import { StringDecoder } from 'node:string_decoder'
import type { Clock } from 'svc/sdk'
import type { TerminalInput, TextLayout } from 'svc/sdk/terminal'
import { controlKey } from './keys.ts'
import { PasteReader } from './paste.ts'
import { lastResort, readSequence } from './sequences.ts'

/** After an escape character alone: a person pressed Escape. */
const ESCAPE_MS = 50
/** For the rest of a sequence that has begun without doubt. */
const SEQUENCE_MS = 500
/** For the rest of a character that may have one: an emoji of several code points. */
const GRAPHEME_MS = 10
/** For the rest of a paste: its end was lost. */
const PASTE_MS = 10_000
/** Code units at the end of a text in which its last grapheme is looked for. */
const TAIL = 64

/** Emoji, flags, joiners, jamo, and the first half of a character: what several code points make up. */
const mayGoOn =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u200d|\ufe0f|[\u1100-\u11ff]|\p{Surrogate}$/u
const isText = /[^\x00-\x1f\x7f-\x9f]+/y

/** Takes what is read in any pieces. After `end` nothing more is heard of it. */
export class Decoder {
  readonly #emit: (input: TerminalInput) => void
  readonly #clock: Clock
  readonly #layout: TextLayout
  readonly #utf8 = new StringDecoder('utf8')
  readonly #paste: PasteReader
  #isPasting = false
  /** The beginning of a sequence. */
  #pending = ''
  /** A last character to which more may come. */
  #held = ''
  #cancel: (() => void) | undefined
  #isEnded = false

  constructor(options: { emit: (input: TerminalInput) => void; clock: Clock; layout: TextLayout }) {
    this.#emit = options.emit
    this.#clock = options.clock
    this.#layout = options.layout
    this.#paste = new PasteReader((text) => this.#emit({ type: 'paste', text }))
  }

  push(data: Uint8Array | string): void {
    this.#cancel?.()
    this.#cancel = undefined
    const text =
      this.#pending +
      (typeof data === 'string' ? data : this.#utf8.write(Buffer.from(data.buffer, data.byteOffset, data.byteLength)))
    this.#pending = ''
    let at = 0
    // Who hears a key may end this: what follows it is not for us any more.
    while (at < text.length && !this.#isEnded) at = this.#read(text, at)
    if (!this.#isEnded) this.#wait()
  }

  end(): void {
    this.#isEnded = true
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Reads one thing; returns where the next begins. */
  #read(text: string, at: number): number {
    if (this.#isPasting) {
      const end = this.#paste.read(text, at)
      if (end !== undefined) this.#isPasting = false
      return end ?? text.length
    }
    if (text[at] === '\x1b') return this.#readEscape(text, at)
    isText.lastIndex = at
    const run = isText.exec(text)?.[0]
    if (run !== undefined) return this.#readText(run, at, text.length)
    this.#release()
    const input = controlKey(text.charCodeAt(at))
    if (input) this.#emit(input)
    return at + 1
  }

  #readEscape(text: string, at: number): number {
    this.#release()
    const sequence = readSequence(text, at)
    if (!sequence) {
      this.#pending = text.slice(at)
      return text.length
    }
    if (sequence.beginsPaste) this.#isPasting = true
    if (sequence.input) this.#emit(sequence.input)
    return at + sequence.length
  }

  #readText(run: string, at: number, end: number): number {
    const text = this.#held + run
    this.#held = at + run.length === end ? this.#unfinished(text) : ''
    this.#say(text.slice(0, text.length - this.#held.length))
    return at + run.length
  }

  /** The last character, when more may belong to it. What is typed on keyboards never waits. */
  #unfinished(text: string): string {
    if (text.charCodeAt(text.length - 1) < 0x80) return ''
    const last = this.#layout.graphemes(text.slice(-TAIL)).at(-1) ?? ''
    return mayGoOn.test(last) ? last : ''
  }

  #say(text: string): void {
    if (text !== '') this.#emit({ type: 'text', text })
  }

  #release(): void {
    const held = this.#held
    this.#held = ''
    this.#say(held)
  }

  /** What is not complete gets some time. */
  #wait(): void {
    const [ms, then] = this.#next()
    if (then) this.#cancel = this.#clock.after(ms, then, { background: true })
  }

  #next(): readonly [number, (() => void) | undefined] {
    if (this.#isPasting) return [PASTE_MS, () => this.#endPaste()]
    if (this.#held !== '') return [GRAPHEME_MS, () => this.#release()]
    if (this.#pending === '') return [0, undefined]
    return [this.#pending.length < 3 ? ESCAPE_MS : SEQUENCE_MS, () => this.#giveUp()]
  }

  #giveUp(): void {
    const pending = this.#pending
    this.#pending = ''
    for (const input of lastResort(pending)) this.#emit(input)
  }

  #endPaste(): void {
    this.#isPasting = false
    this.#paste.finish()
  }
}
