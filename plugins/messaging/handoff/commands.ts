/** `/handoff` and `/mirror`: both ask for another chat, and wait for the confirmation there. */
import { createTranslator, type PluginContext, Sessions, type SlashCommand } from 'svc/sdk'
import { formatTarget } from 'svc/sdk/kit/text'
import { Outbox, Platforms } from 'svc/sdk/platform'
import type { Config } from './config.ts'
import { type Origin, toOrigin } from './places.ts'
import type { Request, RequestKind, Requests } from './requests.ts'

/** What one of the commands does with a confirmed request. */
export interface Work {
  readonly kind: RequestKind
  readonly description: string
  readonly subcommands: readonly string[]
  /** What the other chat is asked. */
  question(request: Request, from: string): string
  /** Why it cannot be asked for now. */
  refuse?(sessionId: string): string | undefined
  /** What of the session is told with the confirmation. */
  excerpt?(sessionId: string): string | undefined
  /** Carries out what was confirmed. Returns what is said where it was confirmed, or undefined if it was said. */
  confirmed(request: Request, to: Origin): Promise<string | undefined>
  /** Words of this command alone; undefined for words that name a chat. */
  other?(word: string, by: Origin): Promise<string> | undefined
  /** Without words. */
  status(by: Origin): string
}

export function createCommand(ctx: PluginContext<Config>, requests: Requests, work: Work): SlashCommand {
  const t = createTranslator(ctx)
  const { kind } = work

  const ask = async (word: string, sessionId: string, from: Origin): Promise<string> => {
    const refusal = work.refuse?.(sessionId)
    if (refusal !== undefined) return refusal
    const title = ctx.use(Sessions).summary(sessionId).title ?? ''
    const minutes = ctx.config.request_minutes
    if (word === 'code') {
      const { code = '' } = await requests.ask({ kind, sessionId, title, from })
      return t('Type in the other chat within {minutes} minutes: {command}', {
        minutes,
        command: `\`/${kind} ${code}\``,
      })
    }
    const platform = ctx.all(Platforms).get(word)
    const home = platform && ctx.use(Outbox).home(platform.name)
    if (!platform || home === undefined)
      return t('{name} has no home chat. Type /sethome in the chat that you mean, or here: {command}', {
        name: platform?.label ?? word,
        command: `\`/${kind} code\``,
      })
    const target = `${platform.name}:${home}`
    if (target === formatTarget(from)) return t('That is this chat.')
    const request = await requests.ask({ kind, sessionId, title, from, target })
    const text = `${work.question(request, describe(ctx, from))}\n\n${t('Within {minutes} minutes: {yes} or {no}', {
      minutes,
      yes: `\`/${kind} yes\``,
      no: `\`/${kind} no\``,
    })}`
    ctx.use(Outbox).send({ target: platform.name, key: `${kind}:${request.id}:ask`, text, isOwners: true })
    return t('I asked in the home chat of {name}. Confirm it there.', { name: platform.label })
  }

  const decide = async (word: string, by: Origin): Promise<string | undefined> => {
    const request = requests.find(kind, by)
    if (!request) return t('Nothing waits for a confirmation here.')
    if (word === 'yes') return accept(request, by)
    await requests.end(request.id)
    tell(ctx, request.from, `${kind}:${request.id}:no`, t('It was declined in {place}.', { place: describe(ctx, by) }))
    return t('Nothing was changed.')
  }

  const accept = async (request: Request, by: Origin): Promise<string | undefined> => {
    return work.confirmed(await requests.confirm(request, by, work.excerpt?.(request.sessionId)), by)
  }

  const useCode = async (code: string, by: Origin): Promise<string | undefined> => {
    const found = await requests.findCode(kind, code, by)
    if (found === 'locked') return t('Too many wrong codes were typed here. Try again in an hour.')
    if (found === 'wrong') return t('No open request has this code.')
    if (formatTarget(found.from) === formatTarget(by)) return t('Type it in the other chat.')
    return accept(found, by)
  }

  return {
    name: kind,
    description: work.description,
    category: 'Session',
    argsHint: '[platform|code]',
    subcommands: ['code', 'yes', 'no', ...work.subcommands],
    surfaces: ['gateway'],
    async run(args, { by: sender, conversation }) {
      if (!sender) return t('This cannot be done here.')
      const by = toOrigin(sender)
      const word = args.trim()
      if (word === '') return work.status(by)
      if (word === 'yes' || word === 'no') return decide(word, by)
      const own = work.other?.(word, by)
      if (own) return own
      if (/^[A-HJ-NP-Z2-9]{8}$/i.test(word) && !ctx.all(Platforms).get(word)) return useCode(word, by)
      return ask(word, conversation.sessionId, by)
    },
  }
}

/** A chat, for people: its platform and its name. */
export function describe(
  ctx: PluginContext<Config>,
  { platform, chatName, userName, chatKind = 'dm', chatId }: Origin,
): string {
  const label = ctx.all(Platforms).get(platform)?.label ?? platform
  const name = (chatKind === 'dm' ? (userName ?? chatName) : chatName) ?? chatId
  return `${label}, ${name}`
}

/** Posts it once, however often it is called. */
export function tell(
  ctx: PluginContext<Config>,
  { platform, chatId, threadId }: Origin,
  key: string,
  text: string,
): void {
  ctx.use(Outbox).post({ platform, chatId, ...(threadId !== undefined && { threadId }), key, text })
}
