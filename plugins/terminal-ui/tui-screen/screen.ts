/** A terminal that was taken over: frames go in, input of the user comes out. */

import type { Clock, Logger, Registration } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import type { Frame, TerminalInput, TerminalScreen, TextLayout, Theme } from 'svc/sdk/terminal'
import { Decoder } from './decoder.ts'
import { Glyphs } from './glyphs.ts'
import {
  captureMouse,
  clipboard,
  createNotification,
  createTitleSequence,
  giveBack,
  reportReleases,
  takeOver,
} from './modes.ts'
import { Painter } from './painter.ts'
import { ignoreKeyboardSignals, onProcessSignals, stopJob } from './signals.ts'
import type { TerminalKind } from './terminal-kind.ts'
import type { Guard } from './terminal-restorer.ts'

export interface ScreenOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly skin: Theme
  readonly mouse: boolean
  readonly kind: TerminalKind
  readonly layout: TextLayout
  readonly clock: Clock
  readonly log: Logger
  readonly guard: Guard | undefined
  /** Told once when it is closed. */
  readonly closed: () => void
}

/**
 * `taken`: ours; `lent`: another program draws; `gone`: there is no terminal any more; `closed`: we are done with it.
 */
type State = 'new' | 'taken' | 'lent' | 'gone' | 'closed'

export class Screen implements TerminalScreen {
  readonly #options: ScreenOptions
  readonly #painter: Painter
  readonly #listeners = new Set<(input: TerminalInput) => void>()
  readonly #disposers: (() => void)[] = []
  #state: State = 'new'
  #decoder: Decoder | undefined
  #wasRaw = false
  #title = ''
  #mouse: boolean
  #lends = 0
  #releases = false
  #ignoring: (() => void) | undefined
  /** Drawn as soon as the terminal has taken what was written before. */
  #waiting: Frame | undefined
  #offSignals: (() => void) | undefined

  constructor(options: ScreenOptions) {
    this.#options = options
    this.#mouse = options.mouse
    this.#painter = new Painter(new Glyphs(options.layout), options.kind.colors, options.skin)
  }

  get columns(): number {
    return Math.max(1, this.#options.output.columns || 80)
  }

  get rows(): number {
    return Math.max(1, this.#options.output.rows || 24)
  }

  get colors() {
    return this.#options.kind.colors
  }

  /** Takes the terminal over. */
  start(): void {
    const { input, output } = this.#options
    this.#wasRaw = input.isRaw
    this.#listen(input, 'error', () => this.#lose())
    this.#listen(input, 'end', () => this.#lose())
    this.#listen(input, 'close', () => this.#lose())
    this.#listen(input, 'data', (data) => this.#decoder?.push(data as Uint8Array))
    this.#listen(output, 'error', () => this.#lose())
    this.#listen(output, 'resize', () => this.#resized())
    this.#listen(output, 'drain', () => this.#drained())
    this.#take()
  }

  draw(picture: Frame): void {
    if (this.#state !== 'taken') return
    const { output } = this.#options
    if (output.writableNeedDrain) {
      this.#waiting = picture
      return
    }
    const text = this.#painter.paint(picture, this.columns, this.rows)
    if (text !== '') output.write(text)
  }

  forget(): void {
    this.#painter.forget()
  }

  look(skin: Theme): void {
    this.#painter.look(skin)
  }

  onInput(listener: (input: TerminalInput) => void): Registration {
    const own = (input: TerminalInput) => listener(input)
    this.#listeners.add(own)
    return toRegistration(() => void this.#listeners.delete(own))
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#lends++
    this.#give()
    this.#ignoring ??= ignoreKeyboardSignals()
    try {
      // A paused stream stops reading one turn later; until then it would take what is typed for the work.
      await nextTurn()
      return await work()
    } finally {
      this.#lends--
      if (this.#lends === 0) {
        this.#ignoring?.()
        this.#ignoring = undefined
        this.#takeAgain()
      }
    }
  }

  async suspend(): Promise<void> {
    if (this.#state !== 'taken') return
    this.#give()
    await stopJob(this.#options.clock)
    readSizeAgain()
    if (this.#lends === 0) this.#takeAgain()
  }

  title(text: string): void {
    this.#title = createTitleSequence(text)
    this.#write(this.#title)
  }

  bell(): void {
    this.#write('\x07')
  }

  notify(title: string, body: string): boolean {
    const { notifications } = this.#options.kind
    if (notifications === undefined || this.#state !== 'taken') return false
    this.#write(createNotification(notifications, title, body))
    return true
  }

  releases(on: boolean): void {
    if (on === this.#releases) return
    this.#releases = on
    this.#write(reportReleases(on))
  }

  copy(text: string): void {
    this.#write(clipboard(text))
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return
    this.#give()
    const isGone = this.#state === 'gone'
    this.#state = 'closed'
    // A write may fail in a later tick, and a listener must be registered then.
    if (!isGone) await this.#written()
    for (const dispose of this.#disposers.splice(0).reverse()) dispose()
    this.#options.guard?.end()
    this.#listeners.clear()
    this.#options.closed()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #write(text: string): void {
    if (this.#state === 'taken') this.#options.output.write(text)
  }

  #written(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#options.output.writable) this.#options.output.write('', () => resolve())
      else resolve()
    })
  }

  #listen(stream: NodeJS.EventEmitter, name: string, listener: (value: unknown) => void): void {
    stream.on(name, listener)
    this.#disposers.push(() => void stream.off(name, listener))
  }

  #emit(input: TerminalInput): void {
    for (const listener of [...this.#listeners]) listener(input)
  }

  #take(): void {
    const { input, output, kind, guard, clock, layout } = this.#options
    this.#state = 'taken'
    this.#decoder = new Decoder({ clock, layout, emit: (event) => this.#emit(event) })
    this.#offSignals = onProcessSignals({
      ending: () => this.#end(),
      stopping: () => void this.suspend(),
      continued: () => this.#continue(),
    })
    this.#setRaw(true)
    guard?.take(giveBack(kind, { mouse: true }))
    output.write(takeOver(kind, { mouse: this.#mouse }) + (this.#releases ? reportReleases(true) : '') + this.#title)
    this.#painter.forget()
    input.resume()
  }

  /** As it was before, until it is taken again. Only the listeners that detect a lost terminal stay. */
  #give(): void {
    if (this.#state !== 'taken') return
    this.#state = 'lent'
    this.#restore()
    this.#decoder?.end()
    this.#decoder = undefined
    this.#waiting = undefined
    this.#options.input.pause()
  }

  #takeAgain(): void {
    if (this.#state !== 'lent') return
    this.#take()
    this.#emit({ type: 'resize' })
  }

  mouse(captured: boolean): void {
    if (captured === this.#mouse) return
    this.#mouse = captured
    if (this.#state === 'taken') this.#options.output.write(captureMouse(captured))
  }

  #restore(): void {
    const { output, kind, guard } = this.#options
    this.#offSignals?.()
    output.write(giveBack(kind, { mouse: true }))
    this.#setRaw(this.#wasRaw)
    guard?.give()
  }

  #setRaw(mode: boolean): void {
    const { input } = this.#options
    // A stream that was destroyed has no terminal to set, and throws.
    if (!input.destroyed) input.setRawMode(mode)
  }

  /** The process ends: all that can be done is what is done at once. */
  #end(): void {
    if (this.#state === 'taken') this.#restore()
    this.#state = 'closed'
    this.#options.guard?.end()
  }

  /** The process was stopped unnoticed, and the shell had the terminal in between. */
  #continue(): void {
    this.#give()
    readSizeAgain()
    this.#takeAgain()
  }

  #resized(): void {
    if (this.#state !== 'taken') return
    this.#painter.forget()
    this.#emit({ type: 'resize' })
  }

  #drained(): void {
    const picture = this.#waiting
    this.#waiting = undefined
    if (picture) this.draw(picture)
  }

  #lose(): void {
    if (this.#state === 'gone' || this.#state === 'closed') return
    this.#state = 'gone'
    this.#offSignals?.()
    this.#decoder?.end()
    this.#options.guard?.end()
    this.#emit({ type: 'closed' })
  }
}

/** What was asked of the streams has been done. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * A terminal that changed while another job had it told only that one: Node reads the size again when it gets the
 * signal.
 */
function readSizeAgain(): void {
  if (process.platform !== 'win32') process.kill(process.pid, 'SIGWINCH')
}
