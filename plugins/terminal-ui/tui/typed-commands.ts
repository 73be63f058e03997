/** Slash commands between the key that sends them and the transcript. */
import type { Clock, CommandSurface, PluginContext } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import type { Transcript } from 'svc/sdk/terminal'
import { Overlays } from 'svc/sdk/terminal'
import type { Dialogs } from './dialogs.ts'

export interface TypedCommandDeps {
  readonly clock: Clock
  readonly dialogs: Dialogs
  readonly transcript: Transcript
  redraw(): void
}

/** A command that takes longer is shown before it says something. */
const SLOW_MS = 400

/** Those that are not shown yet: a command that says nothing and does nothing leaves no trace in the transcript. */
export class TypedCommands {
  readonly #place: TypedCommandDeps
  #waiting: readonly { readonly text: string; readonly stop: () => void }[] = []

  constructor(place: TypedCommandDeps) {
    this.#place = place
  }

  /** What it returns is called when the command is done. */
  add(text: string): () => void {
    const { clock, dialogs } = this.#place
    const stop = clock.after(SLOW_MS, () => {
      if (!dialogs.current && this.#waiting.includes(typed)) this.show()
    })
    const typed = { text, stop }
    this.#waiting = [...this.#waiting, typed]
    return () => {
      stop()
      this.#waiting = this.#waiting.filter((each) => each !== typed)
    }
  }

  /** Something comes of them. */
  show(): void {
    for (const { text } of this.#waiting) this.#place.transcript.typed(text)
    this.forget()
    this.#place.redraw()
  }

  forget(): void {
    for (const { stop } of this.#waiting) stop()
    this.#waiting = []
  }
}

/** The screen that a command opens when it is typed alone: `/help`. */
export function findScreen(
  { ctx, commands }: { readonly ctx: PluginContext<undefined>; readonly commands: CommandSurface },
  text: string,
): string | undefined {
  if (!text.startsWith('/')) return undefined
  const parsed = ctx.use(Commands).parse(text, commands)
  if (!parsed || !('command' in parsed) || parsed.args !== '') return undefined
  return ctx.all(Overlays).get(`/${parsed.command.name}`)?.name
}
