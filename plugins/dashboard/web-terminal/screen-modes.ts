/**
 * What a terminal has to know when the beginning of its output is lost: the private modes that are set (alternate screen,
 * bracketed paste, cursor), and whether a position lies inside an escape sequence. Source: ECMA-48, 5.3 to 5.6, and the
 * private modes of xterm (DECSET, DECRST).
 */

type State = 'ground' | 'escape' | 'control' | 'string' | 'string-escape'

const ESC = 0x1b
const BEL = 0x07
/** Begin a string that ends with BEL or ESC \: DCS, SOS, OSC, PM, APC. */
const STRINGS = new Set([...'PX]^_'].map((character) => character.charCodeAt(0)))
/** Longer parameters belong to no mode. */
const MAX_PARAMETERS = 64

export class ScreenModes {
  #state: State = 'ground'
  #parameters = ''
  #modes: Map<number, boolean> = new Map()

  /** The same state, to look ahead with. */
  copy(): ScreenModes {
    const copy = new ScreenModes()
    copy.#state = this.#state
    copy.#parameters = this.#parameters
    copy.#modes = new Map(this.#modes)
    return copy
  }

  /** The next byte would begin a character or a sequence. */
  get isBetween(): boolean {
    return this.#state === 'ground'
  }

  /** What brings a terminal that was reset into these modes. */
  get sequence(): string {
    return [...this.#modes].map(([mode, isSet]) => `\x1b[?${mode}${isSet ? 'h' : 'l'}`).join('')
  }

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) this.#take(byte)
  }

  #take(byte: number): void {
    if (this.#state === 'ground') {
      if (byte === ESC) this.#state = 'escape'
    } else if (this.#state === 'escape') this.#begin(byte)
    else if (this.#state === 'control') this.#takeControl(byte)
    else if (byte === BEL) this.#state = 'ground'
    else if (this.#state === 'string') {
      if (byte === ESC) this.#state = 'string-escape'
    } else this.#state = byte === 0x5c ? 'ground' : byte === ESC ? 'string-escape' : 'string'
  }

  #begin(byte: number): void {
    if (byte === 0x5b) {
      this.#parameters = ''
      this.#state = 'control'
    } else if (STRINGS.has(byte)) this.#state = 'string'
    else if (byte >= 0x20 && byte <= 0x2f)
      return // Intermediate bytes: the sequence goes on.
    else {
      // RIS resets everything.
      if (byte === 0x63) this.#modes.clear()
      this.#state = byte === ESC ? 'escape' : 'ground'
    }
  }

  #takeControl(byte: number): void {
    if (byte === ESC) this.#state = 'escape'
    else if (byte < 0x40 || byte > 0x7e) {
      if (this.#parameters.length < MAX_PARAMETERS) this.#parameters += String.fromCharCode(byte)
    } else {
      this.#state = 'ground'
      const isSet = byte === 0x68
      if (!isSet && byte !== 0x6c) return
      const listed = /^\?([\d;]+)$/.exec(this.#parameters)?.[1]
      for (const mode of listed?.split(';') ?? []) this.#modes.set(Number(mode), isSet)
    }
  }
}
