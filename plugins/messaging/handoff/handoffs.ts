/** Conversations that go on in another chat. */
import { createTranslator, errorMessage, logFault, type PluginContext, Sessions, type Translate } from 'svc/sdk'
import { formatTarget } from 'svc/sdk/kit/text'
import { Gateway } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { describe, tell, type Work } from './commands.ts'
import type { Config } from './config.ts'
import { type Origin, toOrigin } from './places.ts'
import type { Request, Requests } from './requests.ts'

const MAX_EXCERPT = 1500

export class Handoffs implements Work {
  readonly kind = 'handoff'
  readonly description = 'Continue this conversation in another chat of yours'
  readonly subcommands = []
  readonly #ctx: PluginContext<Config>
  readonly #requests: Requests
  readonly #t: Translate

  constructor(ctx: PluginContext<Config>, requests: Requests) {
    this.#ctx = ctx
    this.#requests = requests
    this.#t = createTranslator(ctx)
  }

  status(): string {
    return this.#t('Name a platform, whose home chat is asked: {one}. For another chat of yours: {other}', {
      one: '`/handoff <platform>`',
      other: '`/handoff code`',
    })
  }

  refuse(sessionId: string): string | undefined {
    const isEmpty = this.#ctx.use(Sessions).summary(sessionId).messageCount === 0
    return isEmpty ? this.#t('Nothing was said here yet.') : undefined
  }

  question({ title }: Request, from: string): string {
    return this.#t('Continue the conversation "{title}" of {place} here?', { title, place: from })
  }

  /** The last answer, with which the conversation goes on. */
  excerpt(sessionId: string): string | undefined {
    const messages = this.#ctx.use(Sessions).open(sessionId).messages()
    const text = messages.findLast((message) => message.role === 'assistant' && message.text)?.text
    return text && (text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)} …` : text)
  }

  async confirmed(request: Request, to: Origin): Promise<string | undefined> {
    try {
      this.#ctx.use(Gateway).moveSession(request.sessionId, toOrigin(to))
    } catch (error) {
      logFault(this.#ctx.log, 'a conversation was not handed over', error)
      await this.#requests.end(request.id)
      return errorMessage(error)
    }
    await this.#finish(request, to)
    return undefined
  }

  /** Carries out what a crash left, once both chats can be told. Never rejects. */
  async resume(platform: string): Promise<void> {
    for (const request of this.#requests.confirmed('handoff')) {
      if (request.to.platform !== platform && request.from.platform !== platform) continue
      const { to, sessionId, id } = request
      const gateway = this.#ctx.use(Gateway)
      const isUp = [to.platform, request.from.platform].every(
        (name) => gateway.status().platforms.find((each) => each.name === name)?.state === 'connected',
      )
      if (!isUp) continue
      try {
        const mayGo = this.#ctx.use(Access).judge(toOrigin(to), { kind: 'command', name: this.kind }).allow
        if (!mayGo) {
          await this.#requests.end(id)
          continue
        }
        const shown = gateway.findChat(sessionId)
        if (!shown || formatTarget(shown) !== formatTarget(to)) gateway.moveSession(sessionId, toOrigin(to))
        await this.#finish(request, to)
      } catch (error) {
        logFault(this.#ctx.log, 'a conversation could not be handed over after a restart', error)
        tell(this.#ctx, to, `handoff:${id}:failed`, errorMessage(error))
        await this.#requests.end(id)
      }
    }
  }

  /** Both chats are told under keys of the request, so a crash between the steps tells nothing twice. */
  async #finish({ id, title, from, excerpt }: Request, to: Origin): Promise<void> {
    const ctx = this.#ctx
    const t = this.#t
    const here = t('The conversation "{title}" of {place} goes on here.', { title, place: describe(ctx, from) })
    tell(ctx, to, `handoff:${id}:to`, excerpt === undefined ? here : `${here}\n\n${excerpt}`)
    const there = t('This conversation goes on in {place}. Your next message here begins a new one.', {
      place: describe(ctx, to),
    })
    tell(ctx, from, `handoff:${id}:from`, there)
    await this.#requests.end(id)
  }
}
