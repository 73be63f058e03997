/**
 * One terminal: a program, the end of what it has written, and at most one client that sees it. A client that reads slowly
 * holds back nothing: it has a position in what is kept, and when that is overwritten it gets a clean screen and the rest.
 */
import type { Clock } from 'svc/sdk'
import { ByteRing } from './byte-ring.ts'
import { FIRST_SIZE, parseFrame, type TerminalSize } from './client-frame.ts'
import { CLOSE_CODES } from './close-codes.ts'
import { type ProgramEnd, type ProgramLaunch, startProgram, type TerminalProgram } from './program.ts'
import { ScreenModes } from './screen-modes.ts'

/** Who sees a terminal. */
export interface TerminalClient {
  /** Resolves when the bytes were passed to the network or the client has left. Never rejects. */
  send(bytes: Uint8Array): Promise<void>
  close(code: number, reason: string): void
}

/** A client at a terminal, until it leaves. */
export interface Seat {
  /** Takes one frame. Resolves when the program can take more. */
  receive(frame: string | Uint8Array): Promise<void>
  /** The client has left. */
  leave(): void
}

const KEPT_BYTES = 1_048_576
/** One message to a client. */
const PART_BYTES = 65_536
/** How far the beginning of a replay may be moved to that of a sequence or a character. */
const MAX_SKIP = 4096
/** RIS of ECMA-48: what the screen of the client showed before is not part of the replay. */
const RESET = '\x1bc'
/** A client says its size at once. One that does not gets the size back that there was. */
const SIZE_WAIT_MS = 1000

export class Terminal {
  readonly #clock: Clock
  readonly #ring = new ByteRing(KEPT_BYTES)
  /** Of what was overwritten. */
  readonly #modes = new ScreenModes()
  #program: TerminalProgram | undefined
  #size: TerminalSize = FIRST_SIZE
  #end: ProgramEnd | undefined
  #viewer: Viewer | undefined
  #cancelRedraw = () => {}
  /** By `clock.monotonic`; undefined while a client is there. */
  detachedAt: number | undefined

  private constructor(clock: Clock) {
    this.#clock = clock
    this.detachedAt = clock.monotonic()
  }

  /** Throws `WEB_TERMINAL_START`. */
  static async start(launch: ProgramLaunch, clock: Clock): Promise<Terminal> {
    const terminal = new Terminal(clock)
    const program = await startProgram(launch, {
      size: FIRST_SIZE,
      clock,
      onOutput: (bytes) => terminal.#keep(bytes),
    })
    terminal.#program = program
    void program.ended.then((end) => {
      terminal.#end = end
      terminal.#viewer?.wake()
    })
    return terminal
  }

  get pid(): number {
    return this.#program?.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** A client that is there gives way. */
  attach(client: TerminalClient): Seat {
    this.#viewer?.dismiss(CLOSE_CODES.superseded, 'this terminal was opened elsewhere')
    const viewer = new Viewer(client, {
      isFresh: this.#ring.end === 0,
      ring: this.#ring,
      replay: () => this.#replay(),
      end: () => this.#end,
    })
    this.#viewer = viewer
    this.detachedAt = undefined
    if (this.#ring.start > 0) this.#askForRedraw()
    void viewer.run()
    return {
      receive: async (frame) => {
        if (this.#viewer === viewer) await this.#receive(frame)
      },
      leave: () => {
        viewer.leave()
        if (this.#viewer !== viewer) return
        this.#viewer = undefined
        this.detachedAt = this.#clock.monotonic()
      },
    }
  }

  /** Ends the program and what it has started; a client is told. */
  async end(): Promise<void> {
    this.#cancelRedraw()
    await this.#program?.end()
  }

  #keep(bytes: Uint8Array): void {
    // In parts, so that all that is overwritten was kept before.
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const part = bytes.subarray(at, at + PART_BYTES)
      const { start } = this.#ring
      const lost = Math.max(0, this.#ring.end + part.length - KEPT_BYTES) - start
      if (lost > 0) this.#modes.feed(this.#ring.read(start, lost))
      this.#ring.push(part)
    }
    this.#viewer?.wake()
  }

  async #receive(frame: string | Uint8Array): Promise<void> {
    const parsed = parseFrame(frame)
    if ('resize' in parsed) this.#resize(parsed.resize)
    else await this.#program?.write(parsed.typed)
  }

  #resize(size: TerminalSize): void {
    this.#cancelRedraw()
    this.#size = size
    this.#program?.resize(size)
  }

  /** Programs draw their screen again when its size changes. What is kept no longer shows all of it. */
  #askForRedraw(): void {
    const size = this.#size
    this.#program?.resize({ ...size, rows: size.rows > 1 ? size.rows - 1 : 2 })
    this.#cancelRedraw()
    this.#cancelRedraw = this.#clock.after(SIZE_WAIT_MS, () => this.#resize(size), { background: true })
  }

  /** What a screen has to be given before the position, which is the first that can be shown. */
  #replay(): { readonly prefix: Uint8Array; readonly from: number } {
    const { start } = this.#ring
    const modes = this.#modes.copy()
    let skipped = 0
    for (const byte of start === 0 ? [] : this.#ring.read(start, MAX_SKIP)) {
      // Not inside of a sequence, and not on a later byte of a character in UTF-8.
      if (modes.isBetween && (byte & 0xc0) !== 0x80) break
      modes.feed(Uint8Array.of(byte))
      skipped++
    }
    return { prefix: Buffer.from(RESET + modes.sequence), from: start + skipped }
  }
}

interface Viewed {
  /** The program has written nothing yet: there is nothing to clear. */
  readonly isFresh: boolean
  readonly ring: ByteRing
  replay(): { readonly prefix: Uint8Array; readonly from: number }
  end(): ProgramEnd | undefined
}

/** Passes output on to one client, one message at a time. */
class Viewer {
  readonly #client: TerminalClient
  readonly #viewed: Viewed
  #position: number
  #isGone = false
  #wake = () => {}

  constructor(client: TerminalClient, viewed: Viewed) {
    this.#client = client
    this.#viewed = viewed
    this.#position = viewed.isFresh ? 0 : -1
  }

  wake(): void {
    this.#wake()
  }

  leave(): void {
    this.#isGone = true
    this.#wake()
  }

  dismiss(code: number, reason: string): void {
    if (this.#isGone) return
    this.leave()
    this.#client.close(code, reason)
  }

  async run(): Promise<void> {
    while (!this.#isGone) {
      const part = this.#next()
      if (part) await this.#client.send(part)
      else {
        const end = this.#viewed.end()
        if (end) return this.dismiss(CLOSE_CODES.ended, `the program ended with code ${end.exitCode}`)
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }

  #next(): Uint8Array | undefined {
    const { ring, replay } = this.#viewed
    if (this.#position < ring.start) {
      const { prefix, from } = replay()
      this.#position = from
      return prefix
    }
    if (this.#position >= ring.end) return undefined
    const part = ring.read(this.#position, PART_BYTES)
    this.#position += part.length
    return part
  }
}
