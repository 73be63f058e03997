/** The views over the conversation, the last one on top: screens of `Overlays`, and what plugins open by `TuiContext.open`. */
import { errorMessage } from 'svc/sdk'
import type { Overlay, OverlayView, StyledLine, TerminalInput, ViewPlace } from 'svc/sdk/terminal'
import { isLines, isOutcome, isText, isView } from './open-screen.ts'

/** A view that draws more lines than this is reported: it was not written for a screen. */
const MAX_LINES = 1000

/** A view while it is open. */
export interface OpenView {
  readonly view: OverlayView
  readonly place: ViewPlace
  /** The screen of `Overlays` that it is. */
  readonly screen?: Overlay | undefined
  /** The plugin that opened it; undefined for this one. */
  readonly owner?: string | undefined
  /** Of the owner, when it was opened. */
  readonly generation?: number | undefined
  /** It was closed: by the user, by itself, or because it failed. Runs once. */
  closed(): void
}

export interface ViewsDeps {
  changed(): void
  /** A view of this plugin failed, or draws far more than fits. */
  report(plugin: string, problem: { readonly code: string; readonly message: string }): void
  /** Runs code of another plugin; undefined when it fails. */
  attempt<T>(work: () => T): T | undefined
  /** Whether keys that are released are wanted. */
  releases(on: boolean): void
}

export class Views {
  readonly #deps: ViewsDeps
  #open: readonly OpenView[] = []
  /** The last key was Escape, and the view on top took it. */
  #escaped: OpenView | undefined

  constructor(deps: ViewsDeps) {
    this.#deps = deps
  }

  /** From bottom to top. */
  get all(): readonly OpenView[] {
    return this.#open
  }

  /** The one that has the keys. */
  get focused(): OpenView | undefined {
    return this.#open.findLast(({ place }) => place.focus !== false)
  }

  push(view: OpenView): void {
    this.#open = [...this.#open, view]
    this.#changed()
  }

  /** Opens what a plugin made; resolves when it is closed. */
  open<T>(
    make: (done: (result?: T) => void) => OverlayView,
    place: ViewPlace,
    { owner, generation }: Pick<OpenView, 'owner' | 'generation'>,
  ): Promise<T | undefined> {
    return new Promise((resolve) => {
      let result: T | undefined
      let isDone = false
      let entry: OpenView | undefined
      const done = (value?: T) => {
        if (isDone) return
        isDone = true
        result = value
        if (entry) this.close(entry)
      }
      const fail = (error: unknown) => {
        this.#deps.report(owner ?? 'tui', { code: 'VIEW_FAILED', message: `a view failed: ${errorMessage(error)}` })
        done()
      }
      const charge = <R>(work: () => R, accepts: (value: unknown) => boolean, otherwise: R): R => {
        try {
          const value = work()
          if (accepts(value)) return value
          throw new Error(`it returned ${JSON.stringify(value)?.slice(0, 80)}, which cannot be used`)
        } catch (error) {
          fail(error)
          return otherwise
        }
      }
      const view = charge<OverlayView | undefined>(() => make(done), isView, undefined)
      if (!view || isDone) {
        if (view) this.#deps.attempt(() => view.close?.())
        resolve(result)
        return
      }
      entry = {
        place,
        owner,
        generation,
        view: this.#guard(view, charge, owner ?? 'tui'),
        closed: () => {
          isDone = true
          resolve(result)
        },
      }
      this.push(entry)
    })
  }

  #guard(
    view: OverlayView,
    charge: <R>(work: () => R, accepts: (value: unknown) => boolean, otherwise: R) => R,
    owner: string,
  ): OverlayView {
    let isReported = false
    const bounded = (lines: readonly StyledLine[], rows: number) => {
      if (lines.length > MAX_LINES && !isReported) {
        isReported = true
        const message = `a view drew ${lines.length} lines where ${rows} fit: it gets the size of its room with \`lines\``
        this.#deps.report(owner, { code: 'VIEW_TOO_LONG', message })
      }
      return lines.slice(0, rows)
    }
    return {
      lines: (room) =>
        charge(
          () => {
            const lines = view.lines(room)
            return Array.isArray(lines) ? bounded(lines, room.rows) : lines
          },
          isLines,
          [],
        ),
      input: (input) => charge(() => view.input(input), isOutcome, 'close'),
      get keys() {
        return charge(() => view.keys, isText, '')
      },
      get cursor() {
        return charge(() => view.cursor, isCursor, undefined)
      },
      get releases() {
        return charge(
          () => view.releases === true,
          () => true,
          false,
        )
      },
      close: () => this.#deps.attempt(() => view.close?.()),
    }
  }

  /** Gives input to the view that has the keys. False: it is for the interface. */
  input(input: TerminalInput): boolean {
    const top = this.focused
    if (!top) return false
    if (input.type === 'key' && input.released) {
      if (this.#deps.attempt(() => top.view.releases)) this.#give(top, input)
      return true
    }
    const key = input.type === 'key' ? input.name : ''
    const wasEscaped = this.#escaped === top
    const done = this.#give(top, input)
    this.#escaped = key === 'escape' && done === 'taken' ? top : undefined
    // A view that takes every key must not keep the user: Escape twice and Ctrl-C are the user's.
    const isForced = key === 'C-c' || (key === 'escape' && (wasEscaped || done === 'ignored'))
    if (isForced) this.close(top)
    return isForced || done !== 'ignored'
  }

  #give(view: OpenView, input: TerminalInput): 'taken' | 'ignored' | 'close' {
    const done = this.#deps.attempt(() => view.view.input(input)) ?? 'close'
    if (done === 'close') this.close(view)
    return done
  }

  /** Closes the topmost view, also one without the keys. False: there is none. */
  closeTop(): boolean {
    const top = this.#open.at(-1)
    if (top) this.close(top)
    return top !== undefined
  }

  close(view: OpenView): void {
    if (!this.#open.includes(view)) return
    this.#open = this.#open.filter((each) => each !== view)
    if (this.#escaped === view) this.#escaped = undefined
    this.#deps.attempt(() => view.view.close?.())
    view.closed()
    this.#changed()
  }

  closeAll(which: (view: OpenView) => boolean = () => true): void {
    for (const view of [...this.#open].reverse()) if (which(view)) this.close(view)
  }

  #changed(): void {
    this.#deps.releases(this.#deps.attempt(() => this.focused?.view.releases) === true)
    this.#deps.changed()
  }
}

function isCursor(value: unknown): boolean {
  if (value === undefined) return true
  const { row, column } = (value ?? {}) as Record<string, unknown>
  return Number.isInteger(row) && Number.isInteger(column)
}
