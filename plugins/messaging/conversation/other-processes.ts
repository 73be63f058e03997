/** Notices messages that other processes add to the session of an open conversation. */
import { type Dispose, type PluginContext, Sessions } from 'svc/sdk'

/** As often as one row of the database is read. */
const EVERY_MS = 1500

/** What of a conversation the watch needs. */
interface Watched {
  readonly sessionId: string
  readonly busy: boolean
}

export class ElsewhereWatch {
  readonly #ctx: PluginContext<undefined>
  readonly #watched: Watched
  readonly #changed: () => void
  #known: string
  readonly #end: Dispose

  /** `changed` is called when another process has completed an answer. */
  constructor(ctx: PluginContext<undefined>, watched: Watched, changed: () => void) {
    this.#ctx = ctx
    this.#watched = watched
    this.#changed = changed
    this.#known = this.#mark()
    this.#end = ctx.every(EVERY_MS, () => {
      if (!watched.busy) this.#look()
    })
  }

  /** The session as it is now is what this process shows. */
  note(): void {
    this.#known = this.#mark()
  }

  close(): void {
    void this.#end()
  }

  #look(): void {
    const now = this.#mark()
    if (now === '' || now === this.#known || !this.#isAnswered()) return
    this.#known = now
    this.#changed()
  }

  /** Another text after each record of messages; empty when the session cannot be read. */
  #mark(): string {
    return this.#read((sessions, id) => {
      const { updatedAt, messageCount } = sessions.summary(id)
      return `${id} ${updatedAt} ${messageCount}`
    })
  }

  /** A turn that is under way elsewhere is shown when it is complete. */
  #isAnswered(): boolean {
    const state = this.#read((sessions, id) => {
      const last = sessions.open(id).messages().at(-1)
      return last?.role === 'assistant' && !last.toolCalls?.length ? 'answered' : ''
    })
    return state !== ''
  }

  #read(read: (sessions: Sessions, id: string) => string): string {
    const { sessionId } = this.#watched
    try {
      return read(this.#ctx.use(Sessions), sessionId)
    } catch (error) {
      this.#ctx.log.debug('the session could not be read', { error, sessionId })
      return ''
    }
  }
}
