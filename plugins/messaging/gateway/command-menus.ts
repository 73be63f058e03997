/** The menus of slash commands at chat services: shown when a platform is connected, and again when the commands have changed. */
import { type Clock, type Dispose, errorMessage, type Logger } from 'svc/sdk'
import type { Commands } from 'svc/sdk/host'
import type { Platform } from 'svc/sdk/platform'

/** What a plugin adds while it is loaded, and a reload as a whole, is one change. */
const SETTLE_MS = 2000

export interface CommandMenusDeps {
  readonly clock: () => Clock
  readonly log: Logger
  readonly commands: () => Pick<Commands, 'menu'> | undefined
}

/** The menu of a connected platform. */
interface OpenMenu {
  readonly platform: Platform
  readonly menu: NonNullable<Platform['commandMenu']>
  readonly closing: AbortController
  /** What the service has, as it was given; undefined: not known. */
  shown: string | undefined
  /** Settles when the service is not being asked; never rejects. */
  work: Promise<void>
}

export class CommandMenus {
  readonly #deps: CommandMenusDeps
  readonly #open: Set<OpenMenu> = new Set()
  #cancel: (() => void) | undefined

  constructor(deps: CommandMenusDeps) {
    this.#deps = deps
  }

  /** A platform is connected, until the returned function is called. */
  opened(platform: Platform): Dispose {
    const { commandMenu: menu } = platform
    if (!menu) return () => {}
    const open: OpenMenu = {
      ...{ platform, menu, closing: new AbortController() },
      ...{ shown: undefined, work: Promise.resolve() },
    }
    this.#open.add(open)
    this.#update(open)
    return () => {
      open.closing.abort()
      this.#open.delete(open)
    }
  }

  /** The commands may have changed. */
  changed(): void {
    this.#cancel?.()
    this.#cancel = this.#deps.clock().after(
      SETTLE_MS,
      () => {
        this.#cancel = undefined
        for (const open of this.#open) this.#update(open)
      },
      { background: true },
    )
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
    for (const { closing } of this.#open) closing.abort()
    this.#open.clear()
  }

  #update(open: OpenMenu): void {
    open.work = open.work.then(() => this.#show(open))
  }

  /** What failed is tried again at the next change, and when the platform is connected again. */
  async #show(open: OpenMenu): Promise<void> {
    const { platform, menu, closing } = open
    if (closing.signal.aborted) return
    try {
      const entries = this.#deps.commands()?.menu('gateway', menu.limits)
      const wanted = JSON.stringify(entries)
      if (entries === undefined || wanted === open.shown) return
      await menu.show(entries, closing.signal)
      open.shown = wanted
    } catch (error) {
      if (closing.signal.aborted) return
      const problem = `The commands are not in the menu of ${platform.label}: ${errorMessage(error)}`
      this.#deps.log.warn(problem, { error })
    }
  }
}
