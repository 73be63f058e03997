/** What other plugins make of a text before it leaves, and how that is stored so that every attempt sends the same. */
import { errorMessage, logFault, type PluginContext } from 'svc/sdk'
import { BeforeDelivery, type DeliveryContext } from 'svc/sdk/hooks'
import type { OutboxDeps } from './outbox.ts'
import { withoutSecretLinks } from './secret-links.ts'
import type { KeptMessage, PartOfMessage } from './store.ts'

/** What the outbox does with a text that was changed. */
interface Outgoing {
  /** Writes the parts of a message. Called inside of a step. */
  cut(message: KeptMessage, changed: readonly 'draft'[]): void
  settled(part: PartOfMessage): void
}

export class Preparation {
  readonly #ctx: PluginContext<undefined>
  readonly #deps: OutboxDeps
  readonly #outgoing: Outgoing

  constructor(ctx: PluginContext<undefined>, deps: OutboxDeps, outgoing: Outgoing) {
    this.#ctx = ctx
    this.#deps = deps
    this.#outgoing = outgoing
  }

  /** The text when it leaves as it is; undefined when another one was stored, or the message was refused. */
  async prepare(message: KeptMessage): Promise<string | undefined> {
    const { text, refusal } = await this.#ask(message)
    if (refusal !== undefined) return this.#refuse(message, refusal)
    const { mask, secretIn } = this.#deps
    const leaving = text === message.text ? text : withoutSecretLinks(mask(text), secretIn).text
    if (leaving === message.text) return leaving
    this.#replace(message, leaving)
    return undefined
  }

  async #ask({ text, key, platform, chat, thread, draft }: KeptMessage): Promise<{ text: string; refusal?: string }> {
    const context: DeliveryContext = {
      key,
      platform,
      chatId: chat,
      ...(thread !== null && { threadId: thread }),
      isDraft: draft === 1,
    }
    try {
      return await this.#ctx.call(BeforeDelivery, { text }, context)
    } catch (error) {
      logFault(this.#deps.log, 'a text was not changed before it leaves, so it is not sent', error)
      return { text, refusal: errorMessage(error) }
    }
  }

  /** Unless the text was changed meanwhile: then that one is prepared. */
  #replace({ number, text, trace }: KeptMessage, leaving: string): void {
    const { store } = this.#deps
    store.step(() => {
      const current = store.message(number)
      if (current?.text !== text) return
      store.setLeaving(number, leaving)
      store.removeUntried(number)
      const isLost = store.listParts(number).some(({ state, receipt }) => state === 'uncertain' && receipt === null)
      this.#outgoing.cut({ ...current, leaving }, isLost && current.draft === 0 ? ['draft'] : [])
    })
    if (trace !== null) this.#deps.trace(trace, 'changed', 'a plugin changed the text before it was sent')
  }

  #refuse({ number, text }: KeptMessage, refusal: string): undefined {
    const { store } = this.#deps
    const failed = store.step(() => {
      if (store.message(number)?.text !== text) return []
      const waiting = store.listParts(number).filter(({ state }) => state === 'pending')
      for (const part of waiting) store.change(part, { state: 'failed', error: `not sent: ${refusal}` })
      return waiting
    })
    for (const { message, part } of failed) {
      const now = store.part(message, part)
      if (now) this.#outgoing.settled(now)
    }
    return undefined
  }
}
