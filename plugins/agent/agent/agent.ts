/** The service: turns requests into turns, one at a time per session. */
import {
  type Agent,
  errorCode,
  errorMessage,
  Models,
  type PluginContext,
  Sessions,
  SvcError,
  TurnEnded,
  type TurnEndReason,
  type TurnEvent,
} from 'svc/sdk'
import { TurnStarted } from 'svc/sdk/hooks'
import { Plugins } from 'svc/sdk/host'
import { holdScope, type ScopeHold } from 'svc/sdk/store'
import type { Config } from './config.ts'
import { Channel } from './event-channel.ts'
import { EventStreams } from './event-streams.ts'
import { loop } from './loop.ts'
import { findPerson } from './person.ts'
import { type RunningTurn, RunningTurns } from './running-turns.ts'
import { readSteers, steerEvent } from './steers.ts'
import { formatProblem } from './structured-answer.ts'
import type { BegunTurn, Turn } from './turn.ts'
import { createTurnRun } from './turn-run.ts'
import { begin } from './turn-start.ts'

/** Makes the turn and writes its first event; undefined when there is nothing to do. */
type Begin = (place: {
  readonly signal: AbortSignal
  readonly channel: Channel<TurnEvent>
  readonly running: RunningTurn
}) => Promise<BegunTurn | undefined>

async function* runTurn(
  ctx: PluginContext<Config>,
  turns: { readonly running: RunningTurns; readonly streams: EventStreams },
  request: Parameters<Agent['run']>[0],
): AsyncGenerator<TurnEvent> {
  const { sessionId, whenBusy, signal } = request
  const turn = await turns.running.enter(sessionId, whenBusy, signal)
  const start: Begin = (place) => {
    const surface = request.surface ?? ctx.use(Sessions).summary(sessionId).surface
    return begin(ctx, { ...request, surface }, place)
  }
  yield* stream(ctx, turns, { sessionId, turn, start, signal })
}

export function createAgent(ctx: PluginContext<Config>): Agent {
  const running = new RunningTurns()
  const streams = new EventStreams(ctx)
  return {
    run: (request) => createTurnRun(runTurn(ctx, { running, streams }, request)),
    async formatProblem({ format, ...wanted }) {
      return formatProblem(await ctx.use(Models).choose({ ...wanted, withoutDemo: true }), format)
    },
    async *resume(sessionId, { signal } = {}) {
      const turn = await running.enter(sessionId, 'refuse', signal)
      const { resumeTurn } = await import('./resume.ts')
      yield* stream(
        ctx,
        { running, streams },
        { sessionId, turn, start: (place) => resumeTurn(ctx, sessionId, place), signal },
      )
    },
    async *follow(sessionId, seq) {
      const session = ctx.use(Sessions).open(sessionId)
      for (let last = seq; ; ) {
        const turn = running.get(sessionId)
        const changed = turn?.changed
        const events = session.events(last)
        await turn?.shown
        // The turn may have ended before its last events were kept.
        await session.committed()
        yield* events
        last = events.at(-1)?.seq ?? last
        if (events.length > 0) continue
        if (!turn) return
        await changed
      }
    },
    events: ((options = {}) => streams.open(options)) as Agent['events'],
    steer(sessionId, text, { source = 'person', sender, key } = {}) {
      const steer = { text, source, ...(sender && { sender }), ...(key !== undefined && { key }) }
      return running.get(sessionId)?.steer(steer) ?? false
    },
    interrupt(sessionId) {
      const turn = running.get(sessionId)
      turn?.interrupt()
      return turn !== undefined
    },
    busy: (sessionId) => running.get(sessionId) !== undefined,
  }
}

/** The abort reason for remaining listeners. Created once: an error costs more than the end of a turn. */
const OVER = new Error('the turn is over')

/** The events of a turn while it runs. Leaving early stops it. */
async function* stream(
  ctx: PluginContext<Config>,
  { running, streams }: { readonly running: RunningTurns; readonly streams: EventStreams },
  asked: {
    readonly sessionId: string
    readonly turn: RunningTurn
    readonly start: Begin
    readonly signal: AbortSignal | undefined
  },
): AsyncGenerator<TurnEvent> {
  const { sessionId, turn, start, signal } = asked
  const release = ctx.use(Plugins).pin()
  const unfollow = signal && turn.follow(signal)
  const channel = new Channel<TurnEvent>((events, until) => streams.note(events, until))
  const begin = () => drive(ctx, () => start({ signal: turn.signal, channel, running: turn }))
  const held = holdScope(ctx, `session:${sessionId}`)
  const work = (held ? whileHeld(held, turn, begin) : begin()).finally(() => channel.close())
  const outcome = work.catch((error: unknown) => ({ error }))
  let isRead = false
  try {
    yield* channel
    isRead = true
    await work
  } finally {
    turn.interrupt(OVER)
    unfollow?.()
    channel.close()
    const failed = await outcome
    // A reader that read to the end has got the failure; otherwise it is logged.
    if (failed && !isRead) ctx.log.error('an unobserved turn failed', failed)
    running.leave(sessionId)
    await release()
  }
}

/** While other machines share the session, only the one that has it writes. What was lost is over, without an effect. */
async function whileHeld(held: Promise<ScopeHold>, turn: RunningTurn, work: () => Promise<void>): Promise<void> {
  const scope = await held
  const unfollow = turn.follow(scope.signal)
  try {
    await work()
  } finally {
    unfollow()
    await scope.release()
  }
}

async function drive(ctx: PluginContext<Config>, start: () => ReturnType<Begin>): Promise<void> {
  const begun = await start()
  if (!begun) return
  const { turn } = begun
  const { text, isResumed } = begun
  await ctx.call(TurnStarted, { ...turn.context, text, isResumed })
  const reason = begun.ended ?? (await settle(ctx, turn))
  await keepSteers(ctx, turn, reason)
  turn.record([{ type: 'turn.end', reason, usage: turn.usage }], [], 'beforeVisible')
  await turn.settled()
  const { usage, answer, error } = turn
  // The stream is complete, so what is asked now is not part of it.
  const person = findPerson(ctx, turn.sessionId, {})
  await ctx.call(TurnEnded, { ...turn.context, person, reason, usage, text: answer, ...(error && { error }) })
}

/** What was said to a turn that failed or reached its cap stays in the conversation; a turn that was stopped drops it. */
async function keepSteers(ctx: PluginContext<Config>, turn: Turn, reason: TurnEndReason): Promise<void> {
  const steers = turn.running.takeLastSteers(true)
  if (steers.length === 0 || reason === 'interrupted') return
  const event = steerEvent(await readSteers(ctx, turn, steers))
  if (event.text !== '') turn.record([event], [{ role: 'user', text: event.text }], 'beforeVisible')
}

async function settle(ctx: PluginContext<Config>, turn: Turn): Promise<TurnEndReason> {
  try {
    return await loop(ctx, turn)
  } catch (error) {
    // The stream reports what a user can fix; the log is for unexpected failures.
    if (!(error instanceof SvcError)) ctx.log.error('a turn failed', { error, turnId: turn.turnId })
    turn.fail({ code: errorCode(error), message: errorMessage(error) })
    return 'failed'
  }
}
