/** Which moments of svc become which events. */
import {
  AfterToolCall,
  AroundToolCall,
  BeforeToolCall,
  BeforeToolInput,
  BeforeUserMessage,
  type Clock,
  type Conversation,
  Conversations,
  type PluginContext,
  Sessions,
  type Translate,
  TurnEnded,
} from 'svc/sdk'
import {
  AfterToolBatch,
  ApprovalRequested,
  BeforeCompaction,
  BeforeTurn,
  BeforeTurnEnd,
  ConfigChanged,
  ConversationClosed,
  ConversationOpened,
  QuestionAsked,
  SessionCompacted,
  SubagentEnded,
  SubagentStarted,
  WorkingFolderChanged,
} from 'svc/sdk/hooks'
import { BeforePlanChange, SelectProjectNotes } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import { createFire, type Say } from './fire.ts'
import type { HookRunner } from './runner.ts'
import { ToolListeners } from './tool-listeners.ts'
import { TurnListeners } from './turn-listeners.ts'
import { WorkListeners } from './work-listeners.ts'

/** Hooks end before: `MAX_TIMEOUT`. */
const LIMIT = { timeoutMs: 600_000 }

/** Registers the listeners of the plugin. */
export function listen(
  ctx: PluginContext<Config>,
  runner: HookRunner,
  { say, clock, t }: { readonly say: Say; readonly clock: () => Clock; readonly t: Translate },
): void {
  const tools = new ToolListeners(ctx, runner, clock, say)
  const fire = createFire(ctx, runner, say)
  const work = new WorkListeners(ctx, fire)
  const turns = new TurnListeners(fire, work)
  // Without hooks nothing waits: neither for a disk nor for a timer.
  const isIdle = (sessionId: string) => runner.isIdle(ctx.use(Sessions).open(sessionId).cwd)
  const when = <T>(sessionId: string, work: () => T): T | undefined => (isIdle(sessionId) ? undefined : work())
  const whenIn = <T>({ cwd }: { readonly cwd: string }, work: () => T): T | undefined =>
    runner.isIdle(cwd) ? undefined : work()
  // After other plugins have prepared the input: what hooks judge is what runs.
  ctx.on(BeforeToolInput, (draft, about) => whenIn(about.turn, () => tools.prepare(draft, about)), {
    ...LIMIT,
    order: 150,
  })
  ctx.on(BeforeToolCall, (request) => whenIn(request.turn, () => tools.decide(request)))
  ctx.on(AroundToolCall, (request, next) =>
    runner.isIdle(request.turn.cwd) ? next(request) : tools.run(request, next),
  )
  ctx.on(AfterToolCall, (result, request) => whenIn(request.turn, () => tools.complete(result, request)), LIMIT)
  ctx.on(AfterToolBatch, (batch, turn) => whenIn(turn, () => tools.completeBatch(batch, turn)), LIMIT)
  ctx.on(BeforeTurn, (message) => when(message.sessionId, () => turns.begin(message)))
  ctx.on(BeforeUserMessage, (text, info) => turns.extend(text, info))
  ctx.on(BeforeTurnEnd, (ending, info) => when(info.sessionId, () => turns.beforeEnd(ending, info)), LIMIT)
  ctx.on(
    TurnEnded,
    (turn) => {
      tools.forget(turn.turnId)
      return when(turn.sessionId, () => turns.ended(turn))
    },
    LIMIT,
  )
  const announce = async ({ sessionId, cwd }: Conversation) => {
    const { project, problem } = await runner.known(cwd)
    if (problem !== undefined) say(sessionId, problem)
    else if (project && project.state !== 'trusted')
      say(sessionId, t('The hooks of this project do not run until you agree to them as they are now: svc hooks trust'))
  }
  ctx.on(ConversationOpened, (opened) =>
    whenIn(opened.conversation, () => {
      turns.opened(opened)
      return announce(opened.conversation)
    }),
  )
  ctx.on(ConversationClosed, (closed) => when(closed.sessionId, () => turns.closed(closed)), LIMIT)
  ctx.on(BeforeCompaction, (attempt) => when(attempt.sessionId, () => turns.compress(attempt)))
  ctx.on(SessionCompacted, (compacted) => when(compacted.sessionId, () => turns.compacted(compacted)), LIMIT)
  ctx.on(SubagentStarted, (subagent) => whenIn(subagent.parent, () => turns.subagentStarted(subagent)), LIMIT)
  ctx.on(SubagentEnded, (subagent) => work.subagentEnded(subagent))
  ctx.on(BeforePlanChange, (change) => when(change.sessionId, () => work.planChanging(change)))
  ctx.on(
    WorkingFolderChanged,
    (change) => when(change.sessionId, () => work.folderChanged(change, ctx.use(Sessions).open(change.sessionId).cwd)),
    LIMIT,
  )
  ctx.on(
    SelectProjectNotes,
    async (notes, turn) => {
      // Without an occasion the prompt is only measured.
      if (turn.occasion) await whenIn(turn, () => work.notesRead(notes, turn))
    },
    { ...LIMIT, stage: 100 },
  )
  ctx.on(QuestionAsked, (question) => when(question.sessionId, () => turns.questioned(question)), LIMIT)
  ctx.on(
    ApprovalRequested,
    (request) => {
      // A project has no say in sessions that no conversation shows; the database of sessions is not opened for it.
      if (!runner.isConfigured && !ctx.find(Conversations)?.of(request.sessionId)) return undefined
      return when(request.sessionId, () => turns.asked(request))
    },
    LIMIT,
  )
  ctx.on(ConfigChanged, () => whenIn({ cwd: process.cwd() }, () => turns.configChanged()), LIMIT)
}
