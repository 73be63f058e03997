/** The open conversations of this process. */
import { type Conversation, type Conversations, type FrontEnd, type PluginContext, Sessions } from 'svc/sdk'
import type { WaitingStore } from './store.ts'
import { Talk } from './talk.ts'

/** Contract: `Conversations` of the SDK. */
export class OpenConversations implements Conversations {
  readonly #ctx: PluginContext<undefined>
  readonly #store: WaitingStore
  readonly #talks: Set<Talk> = new Set()

  constructor(ctx: PluginContext<undefined>, store: WaitingStore) {
    this.#ctx = ctx
    this.#store = store
  }

  start(
    front: FrontEnd,
    { cwd, sessionId, settings, standard, temporary = false }: Parameters<Conversations['start']>[1],
  ): Conversation {
    const sessions = this.#ctx.use(Sessions)
    const session =
      sessionId === undefined ? sessions.create({ surface: front.surface, cwd }) : sessions.open(sessionId)
    const talk = new Talk(this.#ctx, front, {
      session,
      ...(settings && { settings }),
      ...(standard && { standard }),
      own: sessionId !== undefined ? 'opened' : temporary ? 'temporary' : 'new',
      store: this.#store,
      ended: () => this.#talks.delete(talk),
    })
    this.#talks.add(talk)
    if (sessionId !== undefined) talk.resume()
    return talk
  }

  of(sessionId: string): Conversation | undefined {
    return this.all().find((talk) => talk.sessionId === sessionId)
  }

  all(): readonly Conversation[] {
    return [...this.#talks]
  }

  /** Ends all of them: the plugin is unloaded. */
  async close(): Promise<void> {
    for (const talk of [...this.#talks]) await talk.close()
    await this.#store.close()
  }
}
