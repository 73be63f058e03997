/** The loop: ask, run what is wanted, ask again, until there is an answer. */
import { type PluginContext, Secrets, type TurnEndReason } from 'svc/sdk'
import { type Answer, ask } from './ask.ts'
import type { Config } from './config.ts'
import { definitionOf } from './definitions.ts'
import { buildPrompt } from './prompt.ts'
import { runBatch } from './tool-batch.ts'
import type { Turn } from './turn.ts'

const DEFAULT_ITERATIONS = 90
const MOST_CONTINUATIONS = 4
const MOST_EMPTY = 2
const CONTINUE = 'Your answer was cut by the output limit. Go on exactly where it stopped; repeat nothing.'
const SPEAK = 'You ended without an answer. Say what you found or did.'

/** Runs the turn to its end and says how it ended. */
export async function loop(ctx: PluginContext<Config>, turn: Turn, cap: number | undefined): Promise<TurnEndReason> {
  const tools = [...turn.tools.values()].map(definitionOf)
  const system = await systemPrompt(ctx, turn)
  const most = cap ?? ctx.config.max_iterations ?? fromEnvironment(ctx) ?? DEFAULT_ITERATIONS
  const patience: Patience = { continuations: 0, empty: 0 }
  for (let step = 0; step < most; step++) {
    const answer = await ask(ctx, turn, system, tools)
    if (goOn(turn, answer, patience)) continue
    const ended = finish(turn, answer)
    if (ended) return ended
    await useTools(ctx, turn, answer)
    if (turn.signal.aborted) return 'interrupted'
    if (turn.guard.verdict) return summarise(ctx, turn, system, turn.guard.verdict)
  }
  return summarise(ctx, turn, system, `The turn reached its cap of ${most} model calls`)
}

/** What one turn has put up with so far. */
interface Patience {
  continuations: number
  empty: number
}

/** Answers that are no end yet: cut by the output limit, or empty. Neither is put up with for ever. */
function goOn(turn: Turn, { text, reasoning, calls, reason, failure }: Answer, patience: Patience): boolean {
  if (failure || turn.signal.aborted) return false
  if (reason === 'length' && text && patience.continuations < MOST_CONTINUATIONS) {
    patience.continuations++
    const message = { role: 'assistant', text, ...(reasoning ? { reasoning } : {}) } as const
    turn.record([{ type: 'message.complete', text }], [message, { role: 'user', text: CONTINUE }], 'sync')
    return true
  }
  if (text.trim() || calls.length || patience.empty >= MOST_EMPTY) return false
  patience.empty++
  const afterTools = turn.messages.at(-1)?.role === 'tool'
  turn.record(
    [{ type: 'notice', text: 'The model said nothing; asking again.' }],
    afterTools ? [{ role: 'user', text: SPEAK }] : [],
  )
  return true
}

async function systemPrompt(ctx: PluginContext<Config>, turn: Turn): Promise<string> {
  const kept = turn.session.systemPrompt()
  if (kept !== undefined) return kept
  const { sessionId, turnId, surface } = turn
  const at = { sessionId, turnId, surface, cwd: turn.session.cwd, tools: [...turn.tools.keys()] }
  const built = await buildPrompt(ctx, at)
  turn.session.setSystemPrompt(built)
  return built
}

/** The end of the turn, if the answer is one; undefined when tools are to be run. */
function finish(turn: Turn, answer: Answer): TurnEndReason | undefined {
  const { text, reasoning, failure } = answer
  if (!failure && answer.calls.length && answer.reason !== 'length') return undefined
  const message = { role: 'assistant', text, ...(reasoning ? { reasoning } : {}) } as const
  if (failure) {
    if (text) turn.record([{ type: 'message.complete', text }], [message], 'sync')
    if (failure.kind === 'aborted' || turn.signal.aborted) return 'interrupted'
    turn.record([{ type: 'error', code: 'MODEL_FAILED', message: failure.message }])
    return 'failed'
  }
  if (!text.trim()) {
    const said = 'The model ended its answer without saying anything. Ask again or choose another model.'
    turn.record([{ type: 'error', code: 'MODEL_EMPTY', message: said }])
    return 'failed'
  }
  const cut = answer.reason === 'length' ? [{ type: 'notice', text: 'The answer was cut: output limit.' } as const] : []
  turn.record([{ type: 'message.complete', text }, ...cut], [message], 'sync')
  return 'completed'
}

/** The intents are on disk, together with the message that holds them, before any of the tools runs. */
async function useTools(ctx: PluginContext<Config>, turn: Turn, answer: Answer): Promise<void> {
  const { text, reasoning, calls } = answer
  const starts = calls.map(({ id, name, input }) => ({ type: 'tool.start', callId: id, name, input }) as const)
  const said = text ? [{ type: 'message.complete', text } as const] : []
  const message = { role: 'assistant', text, toolCalls: calls, ...(reasoning ? { reasoning } : {}) } as const
  turn.record([...said, ...starts], [message], 'sync')
  // Without waiting for the disk: a result that a power cut takes with it leaves a call whose effect is unknown, and
  // that is what it is then. The next intent or answer carries it to the disk.
  turn.record([], await runBatch(ctx, turn, calls))
}

/** Where a turn must end without an answer, the model sums up without tools. */
async function summarise(ctx: PluginContext<Config>, turn: Turn, system: string, why: string): Promise<TurnEndReason> {
  const text = `${why}. Without tools: say what was done, what was found, and what is left.`
  turn.record([{ type: 'notice', text: `${why}; the model sums up.` }], [{ role: 'user', text }])
  const ended = finish(turn, { ...(await ask(ctx, turn, system, [])), calls: [] })
  return ended === 'completed' ? 'max-iterations' : (ended ?? 'max-iterations')
}

function fromEnvironment(ctx: PluginContext<Config>): number | undefined {
  const count = Number(ctx.use(Secrets).get('SVC_MAX_ITERATIONS'))
  return Number.isInteger(count) && count > 0 ? count : undefined
}
