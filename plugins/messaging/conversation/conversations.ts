/** The open conversations of this process. */
import { type Conversation, type Conversations, type PluginContext, Sessions } from 'svc/sdk'
import type { FrontEndHandlers } from 'svc/sdk/sessions'
import { OpenConversation } from './open-conversation.ts'
import type { WaitingStore } from './store.ts'

/** Contract: `Conversations` of the SDK. */
export class OpenConversations implements Conversations {
  readonly #ctx: PluginContext<undefined>
  readonly #store: WaitingStore
  readonly #open: Set<OpenConversation> = new Set()

  constructor(ctx: PluginContext<undefined>, store: WaitingStore) {
    this.#ctx = ctx
    this.#store = store
  }

  start(
    front: FrontEndHandlers,
    { cwd, sessionId, settings, standard, temporary = false }: Parameters<Conversations['start']>[1],
  ): Conversation {
    const sessions = this.#ctx.use(Sessions)
    const session =
      sessionId === undefined ? sessions.create({ surface: front.surface, cwd }) : sessions.open(sessionId)
    const conversation = new OpenConversation(this.#ctx, front, {
      session,
      ...(settings && { settings }),
      ...(standard && { standard }),
      own: sessionId !== undefined ? 'opened' : temporary ? 'temporary' : 'new',
      store: this.#store,
      ended: () => this.#open.delete(conversation),
    })
    this.#open.add(conversation)
    if (sessionId !== undefined) conversation.resume()
    else if (front.commands === 'cli')
      this.#store.begin().catch((error: unknown) => this.#ctx.log.debug('nothing is shared yet', { error }))
    return conversation
  }

  of(sessionId: string): Conversation | undefined {
    return this.all().find((conversation) => conversation.sessionId === sessionId)
  }

  all(): readonly Conversation[] {
    return [...this.#open]
  }

  /** The sessions in which messages wait for a process that continues them. */
  waiting(): readonly string[] {
    return this.#store.sessions()
  }

  forgetWaiting(sessionIds: readonly string[]): void {
    this.#store.forget(sessionIds)
  }

  /** Ends all of them: the plugin is unloaded. */
  async close(): Promise<void> {
    for (const conversation of [...this.#open]) await conversation.close()
    await this.#store.close()
  }
}
