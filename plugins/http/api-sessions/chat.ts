/** Talking in a session, in one reply or as it happens. */
import {
  Clock,
  type PluginContext,
  Random,
  Secrets,
  Sessions,
  SvcError,
  type TurnEvent,
  TurnOutcome,
  type Usage,
} from 'svc/sdk'
import { maskToolInput, toolCallLabel } from 'svc/sdk/terminal'
import {
  ApiAgent,
  type ApiRequest,
  eventStreamResponse,
  formatServerEvent,
  type HttpResponse,
  jsonResponse,
} from 'svc/sdk/web'
import { z } from 'zod'
import { SessionSettings } from './settings.ts'

type Context = PluginContext<undefined>
type ApiTurn = Awaited<ReturnType<ApiAgent['begin']>>

export const chatBody = z.looseObject({
  message: z.unknown().optional().meta({ description: 'What is said: text or parts; `input` does as well.' }),
  system_message: z.string().nullish().meta({ description: 'As system_prompt; `instructions` does as well.' }),
})
type Request = ApiRequest<unknown, z.infer<typeof chatBody>>

/** POST /api/sessions/{id}/chat. */
export async function chatInSession(ctx: Context, request: Request): Promise<HttpResponse> {
  const { events, sessionId } = await begin(ctx, request)
  const outcome = new TurnOutcome()
  for await (const each of events) outcome.take(each)
  const { text, error } = outcome
  if (!text && !outcome.isComplete)
    throw new SvcError('API_AGENT_INCOMPLETE', error?.message ?? 'The turn ended without an answer.', { status: 502 })
  return jsonResponse({
    object: 'svc.session.chat.completion',
    session_id: sessionId,
    message: { role: 'assistant', content: text },
    usage: formatTokenCounts(outcome.usage),
  })
}

/** POST /api/sessions/{id}/chat/stream. */
export async function streamInSession(ctx: Context, request: Request): Promise<HttpResponse> {
  const turn = await begin(ctx, request)
  return eventStreamResponse(chatEvents(ctx, turn), ctx.use(Clock), { 'x-svc-session-id': turn.sessionId })
}

async function begin(ctx: Context, request: Request): Promise<ApiTurn> {
  const { http, body, scope, signal } = request
  const content = body.message ?? body['input']
  if (content === undefined || content === null || content === '')
    throw new SvcError('API_MISSING_MESSAGE', 'Nothing was said: message is missing.', {
      status: 400,
      param: 'message',
    })
  const instructions = body.system_message ?? body['instructions']
  const sessionId = http.params['id'] ?? ''
  ctx.use(ApiAgent).check(sessionId, scope)
  const session = ctx.use(Sessions).open(sessionId)
  const { model, endedAt } = session.state(SessionSettings) ?? {}
  const named = model === undefined ? {} : { model }
  const turn = await ctx.use(ApiAgent).begin({
    ...{ sessionId, content, field: 'message', scope, signal },
    ...(typeof instructions === 'string' && { instructions }),
    ...named,
    interactive: ctx.use(ApiAgent).isInteractive(request),
  })
  if (endedAt !== undefined) session.setState(SessionSettings, named)
  return turn
}

async function* chatEvents(ctx: Context, { sessionId, text: said, events }: ApiTurn): AsyncGenerator<string> {
  const [runId, messageId] = [`run_${ctx.use(Random).hex(16)}`, `msg_${ctx.use(Random).hex(14)}`]
  const outcome = new TurnOutcome()
  const mask = (text: string) => ctx.use(Secrets).mask(text)
  let seq = 0
  const tell = (name: string, fields: object) => {
    const ts = ctx.use(Clock).now() / 1000
    return formatServerEvent({ session_id: sessionId, run_id: runId, seq: seq++, ts, ...fields }, { name })
  }
  yield tell('run.started', { user_message: said })
  yield tell('message.started', { message: { id: messageId, role: 'assistant' } })
  for await (const each of events) {
    const delta = outcome.take(each)
    const told = delta
      ? (['assistant.delta', { message_id: messageId, delta }] as const)
      : (toProgressEvent(each, mask) ?? ctx.use(ApiAgent).toQuestionEvent(each))
    if (told) yield tell(...told)
  }
  const { text, error, reason, isComplete } = outcome
  const state = { completed: isComplete, partial: !isComplete && text !== '', interrupted: reason === 'interrupted' }
  if (error) yield tell('error', { message: error.message })
  yield tell('assistant.completed', { message_id: messageId, content: text, ...state })
  yield tell('run.completed', { completed: isComplete, usage: formatTokenCounts(outcome.usage) })
  yield tell('done', {})
}

function toProgressEvent(each: TurnEvent, mask: (text: string) => string): readonly [string, object] | undefined {
  switch (each.type) {
    case 'reasoning.delta':
      return ['tool.progress', { tool_name: '_thinking', delta: each.text }]
    case 'tool.start': {
      const args = maskToolInput(each.input, mask)
      return ['tool.started', { tool_name: each.name, preview: toolCallLabel(each.input, mask), args }]
    }
    case 'tool.complete':
      return [
        each.ok ? 'tool.completed' : 'tool.failed',
        { tool_name: each.name, preview: toolCallLabel(each.text, mask) },
      ]
    default:
      return undefined
  }
}

function formatTokenCounts({ input = 0, output = 0 }: Usage): object {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}
