/** Screens of `Overlays` and views that plugins open. They end, or are opened again, with the code that draws them. */
import type { PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Overlays, type OverlayView, type TuiContext, type ViewPlace } from 'svc/sdk/terminal'
import { openCharged } from './open-screen.ts'
import { Views } from './views.ts'

/** The interface that they are shown in. */
export interface PluginViewsDeps {
  readonly ctx: PluginContext<undefined>
  /** What a plugin is given. */
  contextOf(owner: string | undefined): TuiContext
  redraw(): void
  /** Runs code of another plugin; undefined when it fails. */
  attempt<T>(work: () => T): T | undefined
  /** Whether keys that are released are wanted. */
  releases(on: boolean): void
}

export class PluginViews {
  readonly stack: Views
  readonly #deps: PluginViewsDeps
  #isClosed = false

  constructor(deps: PluginViewsDeps) {
    this.#deps = deps
    this.stack = new Views({
      changed: () => deps.redraw(),
      report: (plugin, problem) => deps.ctx.use(Plugins).report({ plugin, stage: 'screen', ...problem }),
      attempt: (work) => deps.attempt(work),
      releases: (on) => deps.releases(on),
    })
  }

  /** Opens a screen in place of the one that is open. Does nothing if no plugin has a screen of this name. */
  show(name: string): void {
    const screens = this.#deps.ctx.all(Overlays)
    const screen = screens.get(name)
    if (!screen) return
    const owner = screens.owner(name)
    this.stack.closeAll((view) => view.screen !== undefined)
    const view = openCharged(screen, screens, this.#deps.contextOf(owner))
    if (view) this.stack.push({ view, screen, place: {}, owner, closed: () => {} })
    this.#deps.redraw()
  }

  /** Opens a view for a plugin; undefined: for this one. */
  open<T>(
    make: (done: (result?: T) => void) => OverlayView,
    place: ViewPlace,
    owner: string | undefined,
  ): Promise<T | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    return this.stack.open(make, place, owner === undefined ? {} : { owner, generation: this.#findGeneration(owner) })
  }

  /** Closes the screen of a plugin that was switched off, and opens that of another generation in its place. */
  followScreens(): void {
    const open = this.stack.all.find(({ screen }) => screen && !this.#deps.ctx.all(Overlays).all().includes(screen))
    if (!open?.screen) return
    this.stack.close(open)
    this.show(open.screen.name)
  }

  /** Closes views whose plugin ended or is of another generation. */
  followPlugins(): void {
    this.stack.closeAll(({ owner, generation }) => {
      return owner !== undefined && generation !== undefined && this.#findGeneration(owner) !== generation
    })
  }

  close(): void {
    this.#isClosed = true
    this.stack.closeAll()
  }

  /** Undefined while it does not run. */
  #findGeneration(plugin: string): number | undefined {
    const info = this.#deps.ctx.use(Plugins).info(plugin)
    return info && ['loaded', 'started', 'suspended'].includes(info.status) ? info.generation : undefined
  }
}
