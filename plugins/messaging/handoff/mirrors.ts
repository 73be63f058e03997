/** Chats whose answers are also sent to another chat. */
import { Clock, createTranslator, type PluginContext, Sessions, type Translate, type TurnEvent } from 'svc/sdk'
import { formatTarget, isSilentAnswer } from 'svc/sdk/kit/text'
import { Gateway, Outbox, Platforms } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { z } from 'zod'
import { describe, tell, type Work } from './commands.ts'
import type { Config } from './config.ts'
import { type Origin, originSchema, toOrigin } from './places.ts'
import type { Request, Requests } from './requests.ts'

const mirrorSchema = z.object({ from: originSchema, to: originSchema, since: z.number() })
type Mirror = z.infer<typeof mirrorSchema>

/** A mirror as it is used. */
interface Active {
  readonly from: string
  /** As `OutboxMessage.target`. */
  readonly to: string
  /** When it was set, in milliseconds since 1970; answers before are not mirrored. */
  readonly since: number
}

const MAX_MIRRORS = 50
/** Answers of the last process that may not have been mirrored. */
const LOOK_BACK_MS = 3_600_000
const MAX_SESSIONS = 100

export class Mirrors implements Work {
  readonly kind = 'mirror'
  readonly description = 'Send the answers of this chat to another chat of yours as well'
  readonly subcommands = ['off']
  readonly #ctx: PluginContext<Config>
  readonly #requests: Requests
  readonly #state
  readonly #t: Translate

  constructor(ctx: PluginContext<Config>, requests: Requests) {
    this.#ctx = ctx
    this.#requests = requests
    this.#state = ctx.state('mirrors', { schema: z.array(mirrorSchema), initial: [] as Mirror[] })
    this.#t = createTranslator(ctx)
  }

  question(_request: Request, from: string): string {
    return this.#t('Send the answers in {place} here as well?', { place: from })
  }

  async confirmed({ id, from }: Request, to: Origin): Promise<string | undefined> {
    const mirror = { from, to, since: this.#ctx.use(Clock).now() }
    await this.#state.update((all) => [...all.filter((each) => !isSame(each, mirror)).slice(1 - MAX_MIRRORS), mirror])
    await this.#requests.end(id)
    const t = this.#t
    tell(
      this.#ctx,
      from,
      `mirror:${id}:from`,
      t('Answers here are also sent to {place}. {command} ends that.', {
        place: describe(this.#ctx, to),
        command: '`/mirror off`',
      }),
    )
    return t('Answers in {place} are also sent here. {command} ends that.', {
      place: describe(this.#ctx, from),
      command: '`/mirror off`',
    })
  }

  other(word: string, by: Origin): Promise<string> | undefined {
    return word === 'off' ? this.#end(formatTarget(by)) : undefined
  }

  status(by: Origin): string {
    const own = this.#active().filter(({ from, to }) => from === formatTarget(by) || to === formatTarget(by))
    const lines = own.map(({ from, to }) => `- \`${from}\` → \`${to}\``)
    const help = this.#t('Name a platform, whose home chat is asked: {one}. For another chat of yours: {other}', {
      one: '`/mirror <platform>`',
      other: '`/mirror code`',
    })
    return [...lines, help].join('\n')
  }

  /** Sends an answer to the chats that mirror its chat. */
  mirror({
    sessionId,
    turnId,
    text,
  }: {
    readonly sessionId: string
    readonly turnId: string
    readonly text: string
  }): void {
    if (isSilentAnswer(text)) return
    const ctx = this.#ctx
    const chat = ctx.use(Gateway).findChat(sessionId)
    if (!chat) return
    const label = `${ctx.all(Platforms).get(chat.platform)?.label ?? chat.platform}, ${chat.name}`
    for (const { to } of this.#active().filter(({ from }) => from === formatTarget(chat))) {
      try {
        ctx
          .use(Outbox)
          .send({ target: to, key: `mirror:${turnId}:${to}`, text: `**${label}**\n\n${text}`, isOwners: true })
      } catch (error) {
        ctx.log.warn('an answer was not mirrored', { error, to })
      }
    }
  }

  /** Sets mirrors that were confirmed before a crash, and sends what that may have left; the keys are those of `mirror`, so what has left stays as it is. */
  async resume(platform: string): Promise<void> {
    const ctx = this.#ctx
    for (const request of this.#requests.confirmed('mirror'))
      if (request.from.platform === platform) await this.confirmed(request, request.to)
    const mirrors = this.#active().filter(({ from }) => from.split(':')[0] === platform)
    if (mirrors.length === 0) return
    const usedAfter = ctx.use(Clock).now() - LOOK_BACK_MS
    for (const { id } of ctx.use(Sessions).list({ usedAfter, limit: MAX_SESSIONS })) {
      const chat = ctx.use(Gateway).findChat(id)
      const since = chat && mirrors.find(({ from }) => from === formatTarget(chat))?.since
      const session = ctx.use(Sessions).open(id)
      const answeredAt = session.entries().findLast(({ message }) => message.role === 'assistant')?.at ?? 0
      const last = readLastAnswer(session.events())
      if (since !== undefined && answeredAt >= since && last) this.mirror({ sessionId: id, ...last })
    }
  }

  /** A mirror ends with the rights of those who asked for it and confirmed it. */
  #active(): readonly Active[] {
    const access = this.#ctx.use(Access)
    const may = (origin: Origin) => access.judge(toOrigin(origin), { kind: 'command', name: this.kind }).allow
    const asked = this.#state
      .get()
      .filter(({ from, to }) => may(from) && may(to))
      .map(({ from, to, since }) => ({ from: formatTarget(from), to: formatTarget(to), since }))
    return [...asked, ...this.#ctx.config.mirrors.map((each) => ({ ...each, since: 0 }))]
  }

  async #end(target: string): Promise<string> {
    const isHere = ({ from, to }: { readonly from: string; readonly to: string }) => from === target || to === target
    const before = this.#state.get().length
    const left = await this.#state.update((all) =>
      all.filter(({ from, to }) => !isHere({ from: formatTarget(from), to: formatTarget(to) })),
    )
    if (this.#ctx.config.mirrors.some(isHere))
      return this.#t('A mirror of this chat is set in config.yaml: {key}.', { key: '`handoff.mirrors`' })
    return left.length < before ? this.#t('The mirror of this chat has ended.') : this.#t('This chat has no mirror.')
  }
}

function isSame(one: Mirror, other: Mirror): boolean {
  return formatTarget(one.from) === formatTarget(other.from) && formatTarget(one.to) === formatTarget(other.to)
}

/** Of the last turn, if that is over. */
function readLastAnswer(events: readonly TurnEvent[]): { readonly turnId: string; readonly text: string } | undefined {
  const end = events.findLast(({ type }) => type === 'turn.end' || type === 'turn.start')
  if (end?.type !== 'turn.end') return undefined
  const { turnId } = end
  const said = events.findLast((event) => event.type === 'message.complete' && event.turnId === turnId)
  return said?.type === 'message.complete' ? { turnId, text: said.text } : undefined
}
