/** The service: turns requests into turns, one at a time per session. */
import {
  type Agent,
  errorCode,
  errorMessage,
  MessageReceived,
  Models,
  type PluginContext,
  Plugins,
  Random,
  Sessions,
  SvcError,
  Tools,
  TurnEnded,
  type TurnEndReason,
  type TurnEvent,
  type TurnInfo,
  type TurnRequest,
} from 'svc/sdk'
import { Channel } from './channel.ts'
import type { Config } from './config.ts'
import { loop } from './loop.ts'
import { Turn, userMessage } from './turn.ts'

export function createAgent(ctx: PluginContext<Config>): Agent {
  const busy = new Set<string>()
  return {
    async *run(request) {
      if (busy.has(request.sessionId))
        throw new SvcError('AGENT_BUSY', 'This session has a turn under way. Wait for it to end or stop it.')
      busy.add(request.sessionId)
      const release = ctx.use(Plugins).pin()
      const left = new AbortController()
      const signal = request.signal ? AbortSignal.any([request.signal, left.signal]) : left.signal
      const channel = new Channel<TurnEvent>()
      const work = drive(ctx, request, signal, channel).finally(() => channel.close())
      // Whoever reads to the end hears of it below; for one who left early it goes to the log.
      let unheard = (error: unknown) => ctx.log.error('a turn that nobody waited for failed', { error })
      work.catch((error) => unheard(error))
      try {
        yield* channel
        unheard = () => {}
        await work
      } finally {
        left.abort()
        channel.close()
        await work.catch(() => undefined)
        busy.delete(request.sessionId)
        await release()
      }
    },
  }
}

async function drive(
  ctx: PluginContext<Config>,
  request: TurnRequest,
  signal: AbortSignal,
  channel: Channel<TurnEvent>,
): Promise<void> {
  const session = ctx.use(Sessions).open(request.sessionId)
  const turnId = `turn_${ctx.use(Random).hex(8)}`
  const info: TurnInfo = { sessionId: session.id, turnId, surface: request.surface }
  const text = await ctx.call(MessageReceived, request.text, info)
  const { provider, model } = request
  const choice = await ctx.use(Models).choose({ ...(provider && { provider }), ...(model && { model }) })
  const turn = new Turn({ info, session, signal, tools: ctx.all(Tools).all(), choice, channel })
  const notes = turn.messages.length ? [] : choice.notes.map((note) => ({ type: 'notice', text: note }) as const)
  const start = { type: 'turn.start', text, provider: choice.provider.name, model: choice.model } as const
  turn.record([start, ...notes], [userMessage(text, request.images)], 'sync')
  const reason = await settle(ctx, turn, request)
  turn.record([{ type: 'turn.end', reason, usage: turn.usage }], [], 'sync')
  await ctx.call(TurnEnded, { ...info, reason, usage: turn.usage })
}

async function settle(ctx: PluginContext<Config>, turn: Turn, request: TurnRequest): Promise<TurnEndReason> {
  try {
    return await loop(ctx, turn, request.maxIterations)
  } catch (error) {
    ctx.log.error('a turn failed', { error, turnId: turn.turnId })
    turn.record([{ type: 'error', code: errorCode(error), message: errorMessage(error) }])
    return 'failed'
  }
}
