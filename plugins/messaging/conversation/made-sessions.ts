/** The sessions that were made for one conversation, and which of them stay. */
import { type PluginContext, Sessions } from 'svc/sdk'

/** Where the session of a conversation comes from: an existing one, one made for it, or one made for it that is not kept. */
export type Origin = 'opened' | 'new' | 'temporary'

export class MadeSessions {
  readonly #ctx: PluginContext<undefined>
  readonly #origins: Map<string, Exclude<Origin, 'opened'>> = new Map()

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  add(sessionId: string, origin: Origin): void {
    if (origin !== 'opened') this.#origins.set(sessionId, origin)
  }

  /** Adds a session that the conversation moved to, if nothing was said in it yet. */
  addEmpty(sessionId: string): void {
    if (this.#isEmpty(sessionId)) this.add(sessionId, 'new')
  }

  /** Removes a session that is not to be kept, or in which nothing was said. Never rejects. */
  async tidy(sessionId: string): Promise<void> {
    const origin = this.#origins.get(sessionId)
    if (origin === undefined) return
    try {
      if (origin === 'new' && !this.#isEmpty(sessionId)) return
      await this.#ctx.use(Sessions).remove([sessionId], { copy: false })
      this.#origins.delete(sessionId)
    } catch (error) {
      this.#ctx.log.warn('a session could not be removed', { error, sessionId })
    }
  }

  async tidyAll(): Promise<void> {
    for (const id of [...this.#origins.keys()]) await this.tidy(id)
  }

  /** An empty session without a title. */
  #isEmpty(sessionId: string): boolean {
    const sessions = this.#ctx.use(Sessions)
    const { messageCount, title } = sessions.summary(sessionId)
    return messageCount === 0 && title === undefined && sessions.open(sessionId).events().length === 0
  }
}
