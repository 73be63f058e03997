/** Opens terminals as screens. */
import type { Clock, Logger } from 'svc/sdk'
import { SvcError } from 'svc/sdk'
import type { TerminalScreen, TerminalScreens, TextLayout } from 'svc/sdk/terminal'
import { Screen } from './screen.ts'
import type { TerminalKind, TerminalNames } from './terminal-kind.ts'
import { startGuard } from './terminal-restorer.ts'

export interface ScreensOptions {
  readonly names: () => TerminalNames
  readonly layout: () => TextLayout
  readonly clock: () => Clock
  readonly log: Logger
  /** The variable PATH. */
  readonly path: () => string
}

type OpenOptions = Parameters<TerminalScreens['open']>[0]

/** Keeps the screens that are open: a terminal has one at a time. */
export class OpenScreens implements TerminalScreens {
  readonly #options: ScreensOptions
  readonly #open = new Map<NodeJS.WriteStream, Screen | undefined>()

  constructor(options: ScreensOptions) {
    this.#options = options
  }

  async open(options: OpenOptions): Promise<TerminalScreen> {
    const { input, output } = options
    if (!input.isTTY || !output.isTTY) throw unusable('Input and output must be a terminal for a full screen.')
    if (this.#open.has(output)) throw unusable('A full screen is open on this terminal already.')
    this.#open.set(output, undefined)
    try {
      const screen = await this.#make(options)
      this.#open.set(output, screen)
      screen.start()
      return screen
    } catch (error) {
      this.#open.delete(output)
      throw error
    }
  }

  async closeAll(): Promise<void> {
    for (const screen of [...this.#open.values()]) await screen?.close()
  }

  async #make(options: OpenOptions): Promise<Screen> {
    const { names, log } = this.#options
    const [clock, layout] = [this.#options.clock(), this.#options.layout()]
    const { input, output } = options
    const starting = startGuard({ input, output, clock, log, path: this.#options.path() })
    const kind = await this.#kind(names())
    const guard = await starting
    if (!kind) {
      guard?.end()
      throw unusable(`A terminal of the kind "${names().term ?? ''}" cannot show a full screen. Use the line mode.`)
    }
    const closed = () => void this.#open.delete(output)
    return new Screen({ ...options, kind, guard, clock, log, layout, closed })
  }

  async #kind(names: TerminalNames): Promise<TerminalKind | undefined> {
    const { terminalKind } = await import('./terminal-kind.ts')
    return terminalKind(names)
  }
}

function unusable(message: string): SvcError {
  return new SvcError('TERMINAL_UNUSABLE', message, { status: 400 })
}
