/** The loop: ask, run what is wanted, ask again, until there is an answer. */
import type { Message, PluginContext, TurnEndReason, TurnEventData } from 'svc/sdk'
import { BeforeTurnEnd } from 'svc/sdk/hooks'
import type { ToolDefinition } from 'svc/sdk/provider'
import { ask } from './ask-model.ts'
import { type Config, countFrom } from './config.ts'
import { cutMessage, Retries } from './incomplete-answers.ts'
import { type Answer, isSilent } from './model-answer.ts'
import { buildPrompt } from './prompt.ts'
import { readSteers, steerEvent } from './steers.ts'
import { Shaping } from './structured-answer.ts'
import { createJobs, intents, recordAnswers, runJobs } from './tool-batch.ts'
import type { Turn } from './turn.ts'

const DEFAULT_ITERATIONS = 90
/** How often listeners may continue one turn. */
const MAX_CONTINUATIONS = 10

/** Runs the turn to its end and says how it ended. */
export async function loop(ctx: PluginContext<Config>, turn: Turn): Promise<TurnEndReason> {
  const system = await systemPrompt(ctx, turn)
  return system === undefined ? 'interrupted' : await run(ctx, turn, system)
}

async function run(ctx: PluginContext<Config>, turn: Turn, system: string): Promise<TurnEndReason> {
  const tools = turn.tools.definitions
  const most =
    turn.options.maxIterations ??
    ctx.config.max_iterations ??
    countFrom(ctx, 'SVC_MAX_ITERATIONS') ??
    DEFAULT_ITERATIONS
  const retries = new Retries(ctx, turn)
  turn.shaping = await Shaping.of(turn.options.format)
  for (; turn.steps < most; turn.steps++) {
    const answer = await ask(ctx, turn, system, chooseOfferedTools(turn, tools))
    if (await retries.goOn(answer)) continue
    if (isUnshaped(turn, answer)) continue
    const ended = finish(turn, answer)
    if (ended === 'completed' && (await hasMore(ctx, turn, answer))) continue
    if (ended) return ended
    await useTools(ctx, turn, answer)
    if (turn.signal.aborted) return 'interrupted'
    if (turn.guard.verdict) return summarise(ctx, turn, system, turn.guard.verdict)
  }
  return summarise(ctx, turn, system, `The turn reached its cap of ${most} model calls`)
}

/** The tools of the next call: none where the answer is asked for in a form that excludes them. */
function chooseOfferedTools({ shaping, choice }: Turn, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return shaping?.tools(choice, tools) ?? tools
}

/** Whether a listener or the user has said what the model has to answer in this turn. */
async function hasMore(ctx: PluginContext<Config>, turn: Turn, answer: Answer): Promise<boolean> {
  return (await isContinued(ctx, turn, answer)) || (await takeSteers(ctx, turn))
}

/** Whether a listener has more for the model to do, which becomes the next message. */
async function isContinued(ctx: PluginContext<Config>, turn: Turn, { text: answer }: Answer): Promise<boolean> {
  const { signal, continuations } = turn
  if (continuations >= MAX_CONTINUATIONS) return false
  const ending = { answer, continuations, signal }
  const { continueWith: text } = await ctx.call(BeforeTurnEnd, ending, turn.context)
  if (!text || signal.aborted) return false
  turn.continuations++
  turn.record([{ type: 'notice', text: `The turn continues: ${text}` }], [{ role: 'user', text }], 'beforeVisible')
  return true
}

/** What the user said while the answer was written becomes the next message, and the turn continues. */
async function takeSteers(ctx: PluginContext<Config>, turn: Turn): Promise<boolean> {
  for (;;) {
    const steers = turn.running.takeLastSteers()
    if (steers.length === 0) return false
    const event = steerEvent(await readSteers(ctx, turn, steers))
    if (event.text === '') continue
    turn.record([event], [{ role: 'user', text: event.text }], 'beforeVisible')
    return true
  }
}

/** Undefined if the turn was stopped while the prompt was built: a part of a prompt is not kept. */
async function systemPrompt(ctx: PluginContext<Config>, turn: Turn): Promise<string | undefined> {
  const kept = turn.session.systemPrompt()
  if (kept !== undefined) return kept
  const given = turn.options.systemPrompt
  if (given !== undefined) {
    turn.keepPrompt(given)
    return given
  }
  const at = { ...turn.context, tools: turn.tools.offered.map(({ name }) => name) }
  const occasion = { signal: turn.signal, emit: (event: TurnEventData) => turn.record([event], [], 'beforeReturn') }
  const built = await buildPrompt(ctx, { ...at, occasion })
  if (built !== undefined) turn.keepPrompt(built)
  return built
}

/** Whether the model is asked for its answer in the right form; an answer that has it is brought to its bare JSON. */
function isUnshaped(turn: Turn, answer: Answer): boolean {
  const { shaping } = turn
  if (!shaping || answer.failure || answer.calls.length || isStopped(answer) || isSilent(answer)) return false
  const judged = shaping.judge(answer.text)
  if (judged.kind === 'fits') replaceText(answer, judged.text)
  else if (judged.kind === 'misfit') answer.misfit = judged.message
  else {
    const said = { role: 'user', text: judged.say } as const
    const text = 'The model is asked for its answer in the form that was wanted.'
    turn.record([{ type: 'notice', text, isPassing: true }], [toAssistantMessage(answer), said], 'beforeVisible')
    return true
  }
  return false
}

/** Provider metadata of an answer is sent back unchanged or not at all. */
function replaceText(answer: Answer, text: string): void {
  if (answer.text === text) return
  answer.text = text
  delete answer.carry
}

/** What is said of an answer that was stopped in the middle. */
const STOPPED: { readonly [Reason in Answer['reason']]?: string } = {
  length: 'The answer was cut: output limit.',
  filtered:
    'The answer was held back from here on: the model refused to continue, or a filter of its service stopped it.',
}

/** Its calls may have been stopped in the middle, too. */
const isStopped = ({ reason }: Answer): boolean => STOPPED[reason] !== undefined

/** The end of the turn, if the answer is one; undefined when tools are to be run. */
function finish(turn: Turn, answer: Answer): TurnEndReason | undefined {
  const { text, failure } = answer
  if (!failure && answer.calls.length && !isStopped(answer)) return undefined
  const message = toAssistantMessage({ ...answer, calls: [] })
  turn.answer = text
  if (failure) {
    if (text) turn.record([{ type: 'message.complete', text }], [message], 'beforeVisible')
    if (failure.kind === 'aborted' || turn.signal.aborted) return 'interrupted'
    const code = failure.kind === 'filtered' ? 'MODEL_FILTERED' : 'MODEL_FAILED'
    turn.fail({ code, message: failure.message })
    return 'failed'
  }
  if (answer.reason === 'length' && isSilent(answer)) {
    turn.fail({ code: 'MODEL_CUT', message: cutMessage(answer) })
    return 'failed'
  }
  if (isSilent(answer)) {
    const said = 'The model ended its answer without saying anything. Ask again or choose another model.'
    turn.fail({ code: 'MODEL_EMPTY', message: said })
    return 'failed'
  }
  if (answer.misfit !== undefined) {
    turn.fail({ code: 'MODEL_FORMAT_MISSED', message: answer.misfit }, [message])
    return 'failed'
  }
  const cut = STOPPED[answer.reason]
  const notice = cut ? [{ type: 'notice', text: cut } as const] : []
  // Written together with the end of the turn, or with what the user said meanwhile.
  turn.recordSoon([{ type: 'message.complete', text }, ...notice], [message])
  return 'completed'
}

/** The intents are on disk, together with the message that holds them, before any of the tools runs. */
async function useTools(ctx: PluginContext<Config>, turn: Turn, answer: Answer): Promise<void> {
  const { text, calls } = answer
  const jobs = await createJobs(ctx, turn, calls, { limited: answer.reason === 'length' })
  const said = text ? [{ type: 'message.complete', text } as const] : []
  // A tool with an effect waits for the disk itself, before it begins.
  turn.recordSoon([...said, ...intents(jobs)], [toAssistantMessage(answer)])
  await recordAnswers(ctx, turn, await runJobs(ctx, turn, jobs))
}

function toAssistantMessage({ text, reasoning, calls, images, carry }: Answer): Message {
  return {
    role: 'assistant',
    text,
    ...(calls.length && { toolCalls: calls }),
    ...(reasoning && { reasoning }),
    ...(images.length && { images }),
    ...(carry && { carry }),
  }
}

/** Where a turn must end without an answer, the model sums up without tools. */
async function summarise(ctx: PluginContext<Config>, turn: Turn, system: string, why: string): Promise<TurnEndReason> {
  const form = turn.shaping ? ` ${turn.shaping.ask()}` : ''
  const text = `${why}. Without tools: say what was done, what was found, and what is left.${form}`
  turn.record([{ type: 'notice', text: `${why}; the model sums up.` }], [{ role: 'user', text }])
  let answer: Answer = { ...(await ask(ctx, turn, system, [])), calls: [] }
  while (isUnshaped(turn, answer)) answer = { ...(await ask(ctx, turn, system, [])), calls: [] }
  const ended = finish(turn, answer)
  return ended === 'completed' ? 'max-iterations' : (ended ?? 'max-iterations')
}
