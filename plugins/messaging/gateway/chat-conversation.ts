/** The conversation of a chat: which session it shows, when it is reset, and what holds in it. */
import { mkdirSync } from 'node:fs'
import { Clock, type Conversation, Conversations, Home, type PluginContext, Sessions, type TurnEvent } from 'svc/sdk'
import { Toolsets } from 'svc/sdk/host'
import type { Platform, SessionReset } from 'svc/sdk/platform'
import type { FrontEndHandlers } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import type { ChatBinding, GatewayStore } from './store.ts'
import { hasFiles } from './turn-files.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Opens the session, or a new one when it is undefined or was removed. */
export function startConversation(
  ctx: PluginContext<Config>,
  front: FrontEndHandlers,
  {
    session,
    chat,
    platform,
  }: { readonly session: string | undefined; readonly chat: string; readonly platform: Platform },
): Conversation {
  const cwd = ctx.config.cwd || ctx.use(Home).path('workspace')
  mkdirSync(cwd, { recursive: true })
  const { provider, model } = platform.settings?.channels[chat] ?? {}
  const standard = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
  // Stored with each turn, so that it has the same tools when it is resumed in a process that does not know the platform.
  const settings = platform.isEvents ? { toolsets: toolNames(ctx, platform) } : {}
  const from = session !== undefined && findSummary(ctx, session) ? { sessionId: session } : {}
  return ctx.use(Conversations).start(front, { cwd, ...from, settings, standard })
}

/** Stores that the chat shows this session from now on. */
export function bindSession(
  ctx: PluginContext<Config>,
  store: GatewayStore,
  binding: ChatBinding,
  session: string,
): void {
  store.keepBinding({ ...binding, session }, ctx.use(Clock).now())
  const { title } = findSummary(ctx, session) ?? {}
  if (title === undefined) ctx.use(Sessions).rename(session, `${binding.platform} · ${binding.name}`)
}

/** Whether a new conversation is due before the next message. */
export function isResetDue(ctx: PluginContext<Config>, session: string | undefined, { settings }: Platform): boolean {
  if (session === undefined) return false
  const policy = { ...ctx.config.session_reset, ...settings?.session_reset }
  // A null in YAML says nothing.
  const at_hour = policy.at_hour ?? 4
  const summary = findSummary(ctx, session)
  if (!summary || summary.messageCount === 0) return false
  return isResetTime({ ...policy, at_hour }, summary.updatedAt, ctx.use(Clock).now())
}

/** Events of a turn before the given one, in another process: messages that were complete, and what brought files. */
export function completedBefore(
  ctx: PluginContext<Config>,
  session: string,
  turnId: string,
  seq: number,
): readonly TurnEvent[] {
  const events = ctx.use(Sessions).open(session).events()
  return events.filter((event) => {
    if (event.turnId !== turnId || event.seq >= seq) return false
    return event.type === 'message.complete' ? event.text.trim() !== '' : hasFiles(event)
  })
}

/**
 * What the last turn of a session came to, where an earlier process has ended it: that may have been killed before the outbox had it.
 * For a turn that no message began (a result of work in the background) nothing else looks after that. `since`: when this process
 * began. Empty when the turn is too old for the outbox to know surely what has left.
 */
export function leftAnswer(
  ctx: PluginContext<Config>,
  { session, surface, since }: { readonly session: string; readonly surface: string; readonly since: number },
): readonly TurnEvent[] {
  const { updatedAt = since } = findSummary(ctx, session) ?? {}
  if (updatedAt >= since || updatedAt < since - DAY_MS) return []
  const events = ctx.use(Sessions).open(session).events()
  const start = events.findLast((event) => event.type === 'turn.start')
  const own = events.filter(({ turnId }) => turnId === start?.turnId)
  const isOver = own.some(({ type }) => type === 'turn.end')
  if (start?.type !== 'turn.start' || start.options?.surface !== surface || !isOver) return []
  const lasting: readonly TurnEvent['type'][] = ['turn.start', 'message.complete', 'error', 'turn.end']
  return own.filter((event) => lasting.includes(event.type) || hasFiles(event))
}

function findSummary(ctx: PluginContext<Config>, session: string) {
  try {
    return ctx.use(Sessions).summary(session)
  } catch {
    // It was removed: the next message begins a new one.
    return undefined
  }
}

function toolNames(ctx: PluginContext<Config>, { name }: Platform): readonly string[] {
  const toolsets = ctx.find(Toolsets)?.list(name) ?? []
  return toolsets.flatMap(({ tools }) => tools.flatMap((tool) => (tool.on ? [tool.name] : [])))
}

/** `usedAt` is when the conversation was used last. */
function isResetTime(policy: SessionReset, usedAt: number, now: number): boolean {
  const { mode, at_hour: hour, idle_minutes: minutes } = policy
  if ((mode === 'idle' || mode === 'both') && usedAt + minutes * MINUTE_MS < now) return true
  return (mode === 'daily' || mode === 'both') && usedAt < lastHour(hour, now)
}

/** The last moment at which it was that hour, by the clock of this machine. */
function lastHour(hour: number, now: number): number {
  const today = new Date(now)
  today.setHours(hour, 0, 0, 0)
  if (today.getTime() <= now) return today.getTime()
  const yesterday = new Date(now - DAY_MS)
  yesterday.setHours(hour, 0, 0, 0)
  return yesterday.getTime()
}
