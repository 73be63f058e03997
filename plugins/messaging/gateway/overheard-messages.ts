/** What was said in a group, but not to the agent: given along with the next message to it, as data and within limits. */
import { Clock, type PluginContext, Secrets } from 'svc/sdk'
import { KEY_FORM, maskUrlPasswords } from 'svc/sdk/kit/text'
import { type InboundMessage, type OverheardMessage, type Platform, platformSettingDefaults } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import type { Config } from './config.ts'
import type { GatewayStore, InboxRow } from './store.ts'

/** Older words are left out first. */
const MAX_CHARACTERS = 8000
const MAX_OF_ONE = 1000
const FETCH_MS = 5000
const ANY_KEY = new RegExp(KEY_FORM, 'g')

export interface OverheardDeps {
  readonly ctx: PluginContext<Config>
  readonly store: Pick<GatewayStore, 'cursor' | 'overheard'>
  readonly platform: Platform
}

/** As a block of data; undefined when there is nothing new. */
export async function formatOverheard(
  deps: OverheardDeps,
  row: InboxRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { message } = row
  if (deps.platform.isEvents || (message.chatKind ?? 'dm') === 'dm' || message.press !== undefined) return undefined
  const all = [...listKept(deps, row), ...(await fetchHistory(deps, row, signal))]
  const words = all.map(
    ({ userId, userName, text }) =>
      `[${toShownName(userName ?? userId)}] ${redact(deps.ctx, text).slice(0, MAX_OF_ONE)}`,
  )
  if (words.length === 0) return undefined
  const block = keepNewest(words).join('\n').replaceAll('</data>', '<\\/data>')
  return `<data source="said before in this chat, not to you">\n${block}\n</data>`
}

/** Whether what is said to others in a chat is stored for the next message to the agent. */
export function isObserved(
  { settings = platformSettingDefaults }: Pick<Platform, 'settings'>,
  chatId: string,
): boolean {
  return settings.channels[chatId]?.observe_unmentioned ?? settings.observe_unmentioned
}

/** Without the secrets that svc knows, and without what has the form of one. */
export function redact(ctx: Pick<PluginContext<unknown>, 'use'>, text: string): string {
  return maskUrlPasswords(ctx.use(Secrets).mask(text).replaceAll(ANY_KEY, '***'))
}

/** Those from the end that fit together. */
function keepNewest(words: readonly string[]): readonly string[] {
  let [from, length] = [words.length, 0]
  while (from > 0 && length + (words[from - 1]?.length ?? 0) <= MAX_CHARACTERS) length += words[--from]?.length ?? 0
  return words.slice(from)
}

function listKept({ store, platform }: OverheardDeps, { talk, message }: InboxRow): readonly OverheardMessage[] {
  if (!isObserved(platform, message.chatId)) return []
  const seen = store.cursor('overheard', talk)
  const found = store.overheard(message, Number(seen.get() ?? 0))
  const last = found.at(-1)
  if (last) seen.set(String(last.number))
  return found
}

/** From the history of the platform; only words of people who may write. */
async function fetchHistory(
  deps: OverheardDeps,
  { talk, message }: InboxRow,
  signal: AbortSignal,
): Promise<readonly OverheardMessage[]> {
  const { ctx, store, platform } = deps
  const { history_backfill: limit } = platform.settings ?? platformSettingDefaults
  if (limit === 0 || !platform.earlier) return []
  const seen = store.cursor('history', talk)
  const late = new AbortController()
  const cancel = ctx.use(Clock).after(FETCH_MS, () => late.abort(), { background: true })
  try {
    const either = AbortSignal.any([signal, late.signal])
    const all = await platform.earlier(message, { limit, signal: either })
    const known = all.findIndex(({ messageId }) => messageId === seen.get())
    seen.set(message.messageId)
    return all.slice(known + 1).filter((each) => may(ctx, message, each))
  } catch (error) {
    ctx.log.debug('the history of a chat could not be read', { error })
    return []
  } finally {
    cancel()
  }
}

/** A person who may not write to the agent must not reach it by messages to others. */
function may(
  ctx: PluginContext<Config>,
  { roleIds: _, isMention: __, ...message }: InboundMessage,
  { userId }: OverheardMessage,
): boolean {
  return ctx.use(Access).judge({ ...message, userId }, { kind: 'message' }).allow
}

function toShownName(name: string): string {
  return name.replace(/[\p{Cc}[\]<>]/gu, '').slice(0, 50)
}
