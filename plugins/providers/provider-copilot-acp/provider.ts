/** The provider `copilot-acp`: each call is a session of its own, whose prompt is the conversation. */
import type { NewSessionResponse, PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk'
import { errorCode, errorMessage, logFault, Random, SvcError, type Usage } from 'svc/sdk'
import {
  createModelFailure,
  type ModelEvent,
  type ModelFailure,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
} from 'svc/sdk/provider'
import { AnswerText } from './answer-text.ts'
import type { CopilotConnection } from './connection.ts'
import type { CopilotConnections } from './connections.ts'
import { type Offer, OWN, readOffer } from './models.ts'
import { type Deps, explainMissing, findProgram, readAddress } from './place.ts'
import { toPrompt } from './transcript.ts'

export const NAME = 'copilot-acp'
export const SIGN_IN = 'copilot login'
export const PAGE = 'https://docs.github.com/en/copilot/reference/copilot-cli-reference/acp-server'
/** "Authentication required" of the protocol's schema. */
export const AUTH_REQUIRED = -32_000
const INVALID_PARAMS = -32_602

const ENDS = { end_turn: 'stop', max_tokens: 'length', max_turn_requests: 'length', refusal: 'filtered' } as const

export function createProvider(deps: Deps, connections: CopilotConnections): ModelProvider {
  let known: readonly ModelInfo[] = []
  return {
    name: NAME,
    label: 'GitHub Copilot (its program, over ACP)',
    aliases: ['copilot-cli'],
    auth: { type: 'external-command', page: PAGE },
    status: async () => getStatus(deps),
    // Without a session it is not known which there are, and a list is no reason to start a program.
    models: async () => [{ id: OWN, label: 'The model that Copilot chooses' }, ...known],
    stream: (request) =>
      withFailures(deps, () =>
        connections.use((connection) =>
          answer(deps, connection, request, (models) => {
            known = models
          }),
        ),
      ),
  }
}

function getStatus(deps: Deps): { readonly ready: boolean; readonly detail: string } {
  try {
    const address = readAddress(deps)
    if (address) return { ready: true, detail: `a Copilot CLI at ${address.host}:${address.port}` }
  } catch (error) {
    logFault(deps.log, 'the address of Copilot CLI cannot be used', error)
    return { ready: false, detail: errorMessage(error) }
  }
  const file = findProgram(deps)
  return file === undefined
    ? { ready: false, detail: explainMissing(deps) }
    : { ready: true, detail: `it runs ${file}` }
}

/** What is thrown before and between events ends them as a failure. */
async function* withFailures(deps: Deps, open: () => AsyncGenerator<ModelEvent>): AsyncGenerator<ModelEvent> {
  try {
    yield* open()
  } catch (error) {
    logFault(deps.log, 'Copilot CLI could not be asked', error)
    const kind =
      errorCode(error) === 'COPILOT_CONNECTION' ? 'cut' : error instanceof SvcError ? 'unreachable' : 'unknown'
    yield failed(createModelFailure(kind, errorMessage(error)))
  }
}

async function* answer(
  deps: Deps,
  connection: CopilotConnection,
  request: ModelRequest,
  learn: (models: readonly ModelInfo[]) => void,
): AsyncGenerator<ModelEvent> {
  const { signal } = request
  if (signal.aborted) return yield aborted()
  let session: NewSessionResponse
  try {
    session = await connection.newSession(signal)
  } catch (error) {
    if (signal.aborted) return yield aborted()
    return yield failed(await explain(connection, error))
  }
  try {
    const offer = readOffer(session)
    if (offer) learn(offer.models)
    const refusal = await chooseModel(connection, request.model, offer)
    if (refusal) return yield failed(refusal)
    yield* listen(deps, connection, request, session.sessionId)
  } finally {
    connection.release(session.sessionId)
  }
}

async function chooseModel(
  connection: CopilotConnection,
  model: string,
  offer: Offer | undefined,
): Promise<ModelFailure | undefined> {
  if (model === OWN) return undefined
  const ids = offer?.models.map(({ id }) => id) ?? []
  if (!offer || !ids.includes(model)) {
    const there = ids.length > 0 ? `It offers: ${ids.join(', ')}.` : 'It offers no choice.'
    return createModelFailure(
      'model-not-found',
      `Copilot CLI has no model "${model}". ${there} "${OWN}" is its own choice.`,
    )
  }
  const { method, params } = offer.choose(model)
  try {
    await connection.choose(method, params)
    return undefined
  } catch (error) {
    return await explain(connection, error)
  }
}

async function* listen(
  deps: Deps,
  connection: CopilotConnection,
  request: ModelRequest,
  sessionId: string,
): AsyncGenerator<ModelEvent> {
  const { signal, tools } = request
  const text = new AnswerText(tools.length > 0)
  const waiting: ModelEvent[] = []
  let wake: () => void = () => {}
  const onUpdate = (update: SessionUpdate) => {
    const event = toEvent(update, text)
    if (event) waiting.push(event)
    wake()
  }
  let over: { readonly response?: PromptResponse; readonly error?: unknown } | undefined
  const end = (state: typeof over) => {
    over ??= state
    wake()
  }
  const onAbort = () => end({ error: signal.reason })
  signal.addEventListener('abort', onAbort, { once: true })
  const prompt = toPrompt(request, connection.readsImages)
  connection.prompt(sessionId, prompt, { signal, onUpdate }).then(
    (response) => end({ response }),
    (error: unknown) => end({ error }),
  )
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (over && waiting.length === 0) break
      if (!over)
        await new Promise<void>((resolve) => {
          wake = resolve
          if (waiting.length > 0 || over) resolve()
        })
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  if (signal.aborted) return yield aborted()
  if (!over?.response) return yield failed(await explain(connection, over?.error))
  yield* finish(over.response, text, () => `call_${deps.use(Random).hex(8)}`)
}

function* finish(response: PromptResponse, text: AnswerText, newId: () => string): Generator<ModelEvent> {
  if (response.stopReason === 'cancelled') return yield aborted()
  const rest = text.end(newId)
  if (rest.text !== '') yield { type: 'text', text: rest.text }
  for (const call of rest.calls) yield { type: 'tool-call', call }
  const usage = readUsage(response)
  if (usage) yield { type: 'usage', usage }
  const reason = ENDS[response.stopReason] ?? 'stop'
  yield { type: 'end', reason: reason === 'stop' && rest.calls.length > 0 ? 'tool-calls' : reason }
}

/** Its own tools and plans are no part of the answer. */
function toEvent(update: SessionUpdate, text: AnswerText): ModelEvent | undefined {
  if (update.sessionUpdate === 'agent_thought_chunk' && update.content.type === 'text')
    return { type: 'reasoning', text: update.content.text }
  if (update.sessionUpdate !== 'agent_message_chunk') return undefined
  if (update.content.type === 'image')
    return { type: 'image', image: { data: update.content.data, mediaType: update.content.mimeType } }
  const shown = update.content.type === 'text' ? text.add(update.content.text) : ''
  return shown === '' ? undefined : { type: 'text', text: shown }
}

/** Not in the stable part of the schema yet. */
function readUsage(response: PromptResponse): Usage | undefined {
  const { usage } = response as { readonly usage?: Readonly<Record<string, unknown>> | null }
  if (typeof usage?.['inputTokens'] !== 'number' || typeof usage['outputTokens'] !== 'number') return undefined
  const { inputTokens, outputTokens, cachedReadTokens, thoughtTokens } = usage
  return {
    input: inputTokens,
    output: outputTokens,
    ...(typeof cachedReadTokens === 'number' && { cachedInput: cachedReadTokens }),
    ...(typeof thoughtTokens === 'number' && { reasoning: thoughtTokens }),
  }
}

async function explain(connection: CopilotConnection, error: unknown): Promise<ModelFailure> {
  const code = connection.codeOf(error)
  const said = errorMessage(error)
  if (code === AUTH_REQUIRED) {
    const message = `Copilot CLI is not signed in. Run \`${SIGN_IN}\` in a shell, or set COPILOT_GITHUB_TOKEN.`
    return createModelFailure('auth', message)
  }
  const end = await connection.end()
  if (end !== undefined) {
    const why = end === '' ? '' : ` It wrote: ${end}`
    return createModelFailure('cut', `Copilot CLI ended in the middle of its answer.${why}`)
  }
  if (errorCode(error)?.startsWith('COPILOT_')) return createModelFailure('cut', said)
  return createModelFailure(code === INVALID_PARAMS ? 'invalid' : 'server', `Copilot CLI failed: ${said}`)
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure }
}

function aborted(): ModelEvent {
  return failed(createModelFailure('aborted', 'The call was interrupted.'))
}
