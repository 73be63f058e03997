/** How a turn begins: what was said, who answers, and with which tools. */
import {
  BeforeUserMessage,
  type ConversationSettings,
  errorCode,
  errorMessage,
  type ImageContent,
  Models,
  type PluginContext,
  Random,
  SelectTools,
  type Session,
  Sessions,
  SvcError,
  type Tool,
  Tools,
  type TurnContext,
  TurnEnded,
  type TurnEvent,
  type TurnEventData,
  type TurnOptions,
  type TurnRequest,
} from 'svc/sdk'
import {
  BeforeTurn,
  BeforeUserInput,
  type ModelReference,
  SelectToolDefinitions,
  SelectUserImages,
  TurnStarted,
  type UserInput,
} from 'svc/sdk/hooks'
import type { RegisteredTool } from 'svc/sdk/host'
import { memoizePerTick } from 'svc/sdk/kit/async'
import type { MessageOrigin } from 'svc/sdk/platform'
import { type ModelChoice, Providers, type ToolDefinition } from 'svc/sdk/provider'
import { mergeSettings, SelectedSettings, SelectModel, turnSettings } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import { formatDefinitions, normaliseTool, toDefinition, toDefinitions } from './definitions.ts'
import type { Channel } from './event-channel.ts'
import { findPerson, findTurnPerson } from './person.ts'
import type { RunningTurn } from './running-turns.ts'
import { formatProblem } from './structured-answer.ts'
import { type BegunTurn, createReference, createTurnContext, Turn, type TurnTools, userMessage } from './turn.ts'

/** Where its events go and what stops it. */
export interface TurnChannel {
  readonly signal: AbortSignal
  readonly channel: Channel<TurnEvent>
  readonly running: RunningTurn
}

const CLOSED = 'The turn before this one was cut off when svc stopped. What it had shown is kept.'

/**
 * A new turn with its first events and the user's message. Throws `AGENT_NOTHING_TO_DO` and what opening the session
 * throws; other failures are events of the stream, which ends then.
 */
export async function begin(
  ctx: PluginContext<Config>,
  asked: TurnRequest,
  place: TurnChannel,
): Promise<BegunTurn | undefined> {
  const session = ctx.use(Sessions).open(asked.sessionId)
  const request = { ...asked, ...mergeSettings(chosenFor(ctx, session), turnSettings(asked)) }
  const closed = abandonAll(session)
  const turnId = `turn_${ctx.use(Random).hex(8)}`
  const options = pickOptions(request)
  if (request.text === undefined) throwIfAnswered(session)
  const input = request.text === undefined ? undefined : { text: request.text, images: request.images ?? [] }
  try {
    return await make(ctx, request, { ...place, session, turnId, options, closed, input })
  } catch (error) {
    if (!(error instanceof SvcError)) ctx.log.error('a turn could not begin', { error, turnId })
    const events = createFailedTurn({ ...request, text: input?.text }, options, error)
    // What a guard refused stays out of the conversation; anything else that was said is asked again with the next message.
    const messages = input && errorCode(error) !== 'TURN_REFUSED' ? [userMessage(input.text, input.images)] : []
    place.channel.push(session.record({ turnId, events, messages, sync: true }))
    return undefined
  }
}

/** The settings chosen for the session; a model of a missing provider is reported once, and ignored. */
function chosenFor(ctx: PluginContext<Config>, session: Session): ConversationSettings {
  const chosen = session.state(SelectedSettings) ?? {}
  const { provider, model, ...rest } = chosen
  if (provider === undefined || ctx.all(Providers).get(provider)) return chosen
  ctx.log.warn('the model that was chosen for a session is ignored: its provider is not there', {
    sessionId: session.id,
    provider,
    model,
  })
  session.setState(SelectedSettings, Object.keys(rest).length > 0 ? rest : undefined)
  return rest
}

/** The events of a turn that could not begin. */
function createFailedTurn(
  { text = '', provider = '', model = '' }: { readonly [Key in 'text' | 'provider' | 'model']?: string | undefined },
  options: TurnOptions,
  error: unknown,
) {
  return [
    { type: 'turn.start', text, provider, model, options },
    { type: 'error', code: errorCode(error), message: errorMessage(error) },
    { type: 'turn.end', reason: 'failed', usage: {} },
  ] as const satisfies readonly TurnEventData[]
}

/** Undefined where a plugin answered the message. */
async function make(
  ctx: PluginContext<Config>,
  request: TurnRequest,
  begun: TurnChannel & {
    readonly session: Session
    readonly turnId: string
    readonly options: TurnOptions
    readonly closed: boolean
    /** What was said, as plugins have changed it so far. */
    readonly input: { text: string; images: readonly ImageContent[] } | undefined
  },
): Promise<BegunTurn | undefined> {
  const { session, turnId, options, closed, input: said, ...place } = begun
  const { signal } = place
  const model = await chooseModel(ctx, request, turnId)
  // Its questions are not in the stream: the turn has no events yet.
  const person = findPerson(ctx, session.id, { signal })
  const info = createTurnContext(begun, 'choice' in model ? createReference(model.choice) : NO_MODEL, person)
  if (said) {
    const { source = 'person' } = request
    const input = await ctx.call(BeforeUserInput, { ...said }, { ...info, source, isSteer: false, signal })
    await throwIfRefused(ctx, { ...info, text: input.text, signal })
    if (input.reply !== undefined) {
      await recordReply(ctx, { ...begun, info }, { ...input, reply: input.reply })
      return undefined
    }
    said.text = input.text
    said.images = input.images
    said.text = await ctx.call(BeforeUserMessage, input.text, info)
    said.images = await ctx.call(SelectUserImages, input.images, { ...info, text: input.text })
  }
  if ('error' in model) throw model.error
  const { choice } = model
  const problem = request.format && (await formatProblem(choice, request.format))
  if (problem) throw problem
  const tools = await collectTools(ctx, info, request.toolsets)
  const turn = new Turn({
    ...place,
    turnId,
    session,
    tools,
    choice,
    options,
    person: (turn) => findTurnPerson(ctx, turn),
  })
  const notes = [...(closed ? [CLOSED] : []), ...(turn.messages.length ? [] : choice.notes)]
  const start: TurnEventData = {
    type: 'turn.start',
    text: said?.text ?? '',
    provider: choice.provider.name,
    model: choice.model,
    options,
    tools: keepTools(session, turn.tools),
  }
  turn.record(
    [start, ...notes.map((note) => ({ type: 'notice', text: note }) as const)],
    said ? [userMessage(said.text, said.images)] : [],
    'eventually',
  )
  return { turn, text: said?.text ?? '', isResumed: false }
}

const NO_MODEL: ModelReference = { provider: '', model: '' }

/** A plugin may refuse or answer a message for which there is no model, so the failure is kept until one is needed. */
async function chooseModel(
  ctx: PluginContext<Config>,
  { provider, model, allowDemo = false, sessionId, surface, text, purpose = 'user' }: TurnRequest,
  turnId: string,
): Promise<{ readonly choice: ModelChoice } | { readonly error: unknown }> {
  const named = { ...(provider && { provider }), ...(model && { model }) }
  const selected = await ctx.call(SelectModel, named, {
    ...{ purpose: 'turn', sessionId, turnId, turnPurpose: purpose, surface },
    ...(text !== undefined && { text }),
  })
  const wanted = { ...selected, withoutDemo: !allowDemo }
  return ctx
    .use(Models)
    .choose(wanted)
    .then(
      (choice) => ({ choice }),
      (error: unknown) => ({ error }),
    )
}

/** A turn that a plugin answered. */
async function recordReply(
  ctx: PluginContext<Config>,
  {
    session,
    turnId,
    options,
    channel,
    info,
  }: TurnChannel & {
    readonly session: Session
    readonly turnId: string
    readonly options: TurnOptions
    readonly info: TurnContext
  },
  { text, images, reply }: Required<UserInput>,
): Promise<void> {
  const { provider, model } = info.model
  await ctx.call(TurnStarted, { ...info, text, isResumed: false })
  const events = [
    { type: 'turn.start', text, provider, model, options },
    { type: 'message.delta', text: reply },
    { type: 'message.complete', text: reply },
    { type: 'turn.end', reason: 'completed', usage: {} },
  ] as const satisfies readonly TurnEventData[]
  const messages = [userMessage(text, images), { role: 'assistant', text: reply } as const]
  channel.push(session.record({ turnId, events, messages, sync: true }))
  await ctx.call(TurnEnded, { ...info, reason: 'completed', usage: {}, text: reply })
}

/** Throws `TURN_REFUSED`. */
async function throwIfRefused(
  ctx: PluginContext<Config>,
  message: TurnContext & { readonly text: string; readonly signal: AbortSignal },
): Promise<void> {
  const verdict = await ctx.call(BeforeTurn, message)
  if (verdict?.decision !== 'deny' && verdict?.decision !== 'ask') return
  const { reason = 'no reason was given', by = [] } = verdict
  throw new SvcError('TURN_REFUSED', `The message was refused by ${by.join(', ')}: ${reason}`)
}

/** Recorded to know later which tools the model had. Most turns share one set. */
function keepTools(session: Session, { definitions }: TurnTools): string {
  return session.keep(formatDefinitions(definitions))
}

/** Turns that a crash left are over: the user wants something else now. */
function abandonAll(session: Session): boolean {
  let any = false
  for (let left = session.takeOver(); left; left = session.takeOver()) {
    session.abandon(left.turnId)
    any = true
  }
  return any
}

/** Without a text the turn continues where the conversation waits for the model. */
function throwIfAnswered(session: Session): void {
  const last = session.messages().at(-1)
  if (last && (last.role !== 'assistant' || last.toolCalls?.length)) return
  throw new SvcError('AGENT_NOTHING_TO_DO', 'The model had the last word in this session. Send a message to continue.')
}

function pickOptions({ surface, key, purpose, parentTurnId, sender, ...request }: TurnRequest): TurnOptions {
  const { provider: _provider, model: _model, ...settings } = turnSettings(request)
  return {
    surface,
    ...settings,
    ...(key !== undefined && { key }),
    ...(purpose !== undefined && { purpose }),
    ...(parentTurnId !== undefined && { parentTurnId }),
    ...(sender && { sender: pickSender(sender) }),
  }
}

/** Callers may pass a whole message. */
function pickSender(sender: MessageOrigin): MessageOrigin {
  const { platform, chatId, userId, chatKind, threadId, scopeId, roleIds, isBot, isMention } = sender
  return {
    platform,
    chatId,
    userId,
    ...(chatKind && { chatKind }),
    ...(threadId !== undefined && { threadId }),
    ...(scopeId !== undefined && { scopeId }),
    ...(roleIds && { roleIds }),
    ...(isBot !== undefined && { isBot }),
    ...(isMention !== undefined && { isMention }),
  }
}

/** All tools that can be used now, less those that plugins switch off for this turn. */
export async function collectTools(
  ctx: PluginContext<Config>,
  info: TurnContext,
  toolsets: readonly string[] | undefined,
): Promise<TurnTools> {
  const isMeant = ({ name, toolset }: RegisteredTool) =>
    !toolsets || toolsets.includes(toolset) || toolsets.includes(name)
  const usable = usableTools(ctx).filter(isMeant)
  const byName = new Map(usable.map((tool) => [tool.name, tool]))
  const offer = await ctx.call(SelectTools, { offered: [...byName.keys()], deferred: [] }, info)
  const find = (name: string): readonly Tool[] => {
    const tool = byName.get(name)
    return tool ? [tool] : []
  }
  const offered = offer.offered.flatMap(find)
  const callable = [...offered, ...offer.deferred.flatMap(find)]
  const all = new Map(callable.map((tool) => [tool.name, tool]))
  return { offered, all, definitions: await defineTools(ctx, info, offered, all) }
}

/** The same list where no plugin changes it: its bytes are made once. */
async function defineTools(
  ctx: PluginContext<Config>,
  info: TurnContext,
  offered: readonly Tool[],
  all: ReadonlyMap<string, Tool>,
): Promise<readonly ToolDefinition[]> {
  const own = toDefinitions(offered.map(normaliseTool))
  const given = await ctx.call(SelectToolDefinitions, own, info)
  return given === own ? own : given.filter(({ name }) => all.has(name))
}

/** By name. Some have to look at the disk to know. */
const usableTools: (ctx: PluginContext<Config>) => readonly RegisteredTool[] = memoizePerTick(
  (ctx: PluginContext<Config>) =>
    ctx
      .all(Tools)
      .all()
      .filter((tool) => isUsable(ctx, tool))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
)

const reported = new WeakSet<Tool>()

/** A tool whose availability check fails, or whose definition is invalid, is omitted; the other tools work. */
function isUsable(ctx: PluginContext<Config>, tool: Tool): boolean {
  try {
    if (tool.missing?.() !== undefined) return false
    toDefinition(normaliseTool(tool))
    return true
  } catch (error) {
    if (!reported.has(tool)) ctx.log.error(`the tool ${tool.name} is left out`, { error })
    reported.add(tool)
    return false
  }
}
