/** Recovery after a stop: looks up unfinished work in the journals of sessions and resumes it. */
import { createTranslator, type PluginContext, Sessions, type TurnEndReason, type TurnEvent } from 'svc/sdk'
import { isSilentAnswer } from 'svc/sdk/kit/text'
import { Outbox, type Platform, Platforms } from 'svc/sdk/platform'
import { Traces } from 'svc/sdk/sessions'
import { postFollowUp } from './answer-follow-up.ts'
import { firstShownAt, isAfter, promptKey } from './chat-questions.ts'
import type { ChatRegistry } from './chat-registry.ts'
import { type ChatView, newTurn, render } from './chat-renderer.ts'
import type { Config } from './config.ts'
import { answerLeft, isApprovalWord, meansChoice } from './left-approvals.ts'
import { shortId } from './prompt-forms.ts'
import { type ChatBinding, type GatewayStore, type InboxRow, toWritten } from './store.ts'
import { hasFiles, readResultFile, TurnFiles } from './turn-files.ts'

/** Each message is repeated, resumed, or found to be done; with `only`, those of one platform. */
export function recover(ctx: PluginContext<Config>, store: GatewayStore, chats: ChatRegistry, only?: string): void {
  const done = new Set<string>()
  const resumed = new Set(
    ctx
      .use(Sessions)
      .unfinished()
      .map(({ id }) => id),
  )
  const rows = store.open().filter(({ message }) => only === undefined || message.platform === only)
  for (const row of rows) {
    const platform = ctx.all(Platforms).get(row.message.platform)
    if (!platform || (row.key !== null && done.has(row.key))) continue
    if (row.key !== null && goOn(ctx, store, chats, { ...row, key: row.key }, platform)) done.add(row.key)
    else if (row.key === null && resumed.has(store.findBinding(row.talk)?.session ?? '') && isAnswer(ctx, store, row)) {
      note(ctx, row, 'it answered what the turn had asked')
      store.end([row])
    } else {
      note(ctx, row, 'svc stopped before its turn began; it is taken again')
      chats.accept(row, platform)
    }
  }
}

/** Takes it as the answer to what the turn had asked; a press is never more than that. */
function isAnswer(ctx: PluginContext<Config>, store: GatewayStore, row: InboxRow): boolean {
  const { message } = row
  if (!isApprovalWord(message)) return false
  const wasShown = (id: string) => {
    const time = firstShownAt(ctx.use(Outbox), promptKey(id))
    return time !== undefined && isAfter(toWritten(row), time)
  }
  const session = store.findBinding(row.talk)?.session
  if (answerLeft(ctx, { session, message, wasShown }) || message.press !== undefined) return true
  // It was taken, and svc stopped before the message was marked as done, or even before the answer was in the journal.
  const last = readSessionEvents(ctx, session ?? '').findLast(({ type }) => /^approval\.(request|answer)$/.test(type))
  if (last?.type === 'approval.request') return wasShown(shortId(last.request.id))
  if (last?.type !== 'approval.answer' || last.by !== message.platform) return false
  return wasShown(shortId(last.id)) && meansChoice(last.choice, message.text)
}

/** False when no turn had begun with it. */
function goOn(
  ctx: PluginContext<Config>,
  store: GatewayStore,
  chats: ChatRegistry,
  row: InboxRow & { readonly key: string },
  platform: Platform,
): boolean {
  const binding = store.findBinding(row.talk)
  const turn = binding && findTurn(ctx, binding, row.key)
  if (!binding || !turn || turn.isStillborn) return false
  note(ctx, row, turn.isOver ? 'its turn was over; its answer is sent' : 'its turn is resumed')
  if (turn.reason === 'interrupted') again(chats, row, store, platform)
  else if (turn.isOver) {
    const last = store.withKey(row.key).at(-1)
    if (last) chats.reactions.on(platform).ended(last.message, turn.reason ?? 'failed')
    deliver(ctx, store, binding, row, turn)
  } else chats.resume(binding, platform, row.key, turn.turnId)
  return true
}

function note(ctx: PluginContext<Config>, { trace }: InboxRow, text: string): void {
  ctx.find(Traces)?.note(trace, 'recovered', text)
}

interface FoundTurn {
  readonly turnId: string
  readonly events: readonly TurnEvent[]
  readonly isOver: boolean
  readonly reason: TurnEndReason | undefined
  /** It failed before the model was called: a service it needs had already stopped during shutdown. */
  readonly isStillborn: boolean
}

/** The turn that began with this message, in the sessions that the chat has or had last. */
function findTurn(ctx: PluginContext<Config>, binding: ChatBinding, key: string): FoundTurn | undefined {
  const events = readSessionEvents(ctx, binding.session)
  const start = events.findLast((event) => event.type === 'turn.start' && event.options?.key === key)
  if (!start) return undefined
  const own = events.filter(({ turnId }) => turnId === start.turnId)
  const end = own.findLast((event) => event.type === 'turn.end')
  const reason = end?.type === 'turn.end' ? end.reason : undefined
  return {
    turnId: start.turnId,
    events: own,
    isOver: end !== undefined,
    reason,
    isStillborn: reason === 'failed' && !own.some(({ type }) => type === 'model.start'),
  }
}

function readSessionEvents(ctx: PluginContext<Config>, session: string): readonly TurnEvent[] {
  try {
    return ctx.use(Sessions).open(session).events()
  } catch {
    // The session was removed meanwhile: nothing can be resumed.
    return []
  }
}

/** Answers as a whole, and nothing besides. */
const WHOLE: ChatView = { now: 0, draftEveryMs: undefined, display: undefined, tool: () => undefined }

/** What remains of a turn: its messages, its files, and why it failed. */
function isLasting(event: TurnEvent): boolean {
  return event.type === 'message.complete' || event.type === 'error' || hasFiles(event)
}

function isAnswerEvent(event: TurnEvent): event is Extract<TurnEvent, { type: 'message.complete' }> {
  return event.type === 'message.complete' && !isSilentAnswer(event.text)
}

/** What the turn said, under the keys that it had: what is in the outbox already stays as it is. */
function deliver(
  ctx: PluginContext<Config>,
  store: GatewayStore,
  binding: ChatBinding,
  row: InboxRow,
  { turnId, events, reason }: FoundTurn,
): void {
  const place = {
    platform: binding.platform,
    chatId: binding.chat,
    trace: row.trace,
    ...(binding.thread !== null && { threadId: binding.thread }),
  }
  const ports = { t: createTranslator(ctx), log: ctx.log, outbox: () => ctx.use(Outbox) }
  const files = new TurnFiles({ ...ports, read: (file) => readResultFile(ctx, file) }, turnId)
  let state = newTurn(turnId, 0)
  for (const event of events.filter(isLasting)) {
    const rendered = render(state, event, WHOLE)
    state = rendered.state
    files.carryOut(rendered.steps, place)
  }
  files.release(place)
  const end = () => store.end(store.withKey(row.key ?? ''))
  const answer = reason === 'completed' ? events.findLast(isAnswerEvent)?.text : undefined
  if (answer === undefined && !files.isBusy) {
    end()
    return
  }
  const messages = store.withKey(row.key ?? '').map(({ message }) => message)
  const answered = { sessionId: binding.session, turnId, answer: answer ?? '', messages }
  void files.settled().then(async () => {
    if (answer === undefined || (await postFollowUp(ctx, answered, place, ctx.signal))) end()
  })
}

/** The stop of svc interrupted it: the agent is asked to continue. */
function again(chats: ChatRegistry, row: InboxRow, store: GatewayStore, platform: Platform): void {
  const [first, ...rest] = store.withKey(row.key ?? '')
  store.end(rest)
  for (const { message } of rest) chats.reactions.on(platform).clear(message)
  const text = '[svc was restarted while you were at it. Go on where you were.]'
  const { quote: _quote, files: _files, ...message } = row.message
  if (first) chats.accept({ ...first, message: { ...message, text } }, platform)
}
