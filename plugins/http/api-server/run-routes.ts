/** The routes of runs: begin, look, follow, answer, stop. */
import { Approvals, Clock, Questions, Secrets, SvcError, type TurnEvent, TurnOutcome } from 'svc/sdk'
import { toolCallLabel } from 'svc/sdk/terminal'
import {
  ApiConversations,
  type ApiRequest,
  eventStreamResponse,
  formatServerEvent,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
} from 'svc/sdk/web'
import { z } from 'zod'
import { type Api, chooseModelName, readScope, refuseUnsupported } from './api.ts'
import { wrongChoice } from './client-questions.ts'
import { createFieldError, isId, seconds } from './envelope.ts'
import { CHOICES, readApprovalChoice, toQuestionEvent } from './question-format.ts'
import { isOver, type Run } from './runs.ts'
import { chainBody, chainName, readConversationInput, sessionFor } from './session-chain.ts'
import { readTurnSettings } from './turn-settings.ts'
import { formatTokenCounts } from './turns.ts'

export const runBody = chainBody.extend({
  session_id: z
    .string()
    .refine(isId, 'has up to 256 letters, digits and ._:@- and is no path')
    .nullish()
    .meta({ description: 'A session that continues, or begins under this id.' }),
})
export const approvalBody = z.looseObject({
  choice: z.string().meta({ description: 'once, session, project, always or deny.' }),
  approval_id: z.string().nullish().meta({ description: 'Which question; left out: the oldest.' }),
  all: z.boolean().nullish().meta({ description: 'Answers every question that waits.' }),
  resolve_all: z.boolean().nullish(),
})

export const answerBody = z.looseObject({
  answer: z.string().meta({ description: 'A text; yes or no; a choice, or its number.' }),
  question_id: z.string().nullish().meta({ description: 'Which question; left out: the oldest.' }),
})

/** POST /v1/runs. */
export async function createRun(
  api: Api,
  { http: request, body, signal, scope }: ApiRequest<unknown, z.infer<typeof runBody>>,
): Promise<HttpResponse> {
  refuseUnsupported(body)
  const conversation = chainName(body)
  if (conversation !== undefined && api.ctx.find(ApiConversations)?.find(conversation, scope))
    throw createFieldError(
      'conversation',
      'A run cannot belong to a conversation that was created; name its session_id.',
    )
  const said = await readConversationInput(api, body, scope, signal)
  const { text, images } = said
  const model = chooseModelName(api, body.model)
  const settings = await readTurnSettings(api, body)
  await api.turns.requireModel(settings)
  const run = api.runs.create(
    { scope, model, text, images, settings },
    () => sessionFor(api, request, body, said, { named: body.session_id ?? undefined }).id,
  )
  return jsonResponse({ run_id: run.id, status: 'started', session_id: run.sessionId }, 202)
}

/** GET /v1/runs/{id}. */
export async function readRun(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const run = findRun(api, request)
  return jsonResponse({
    object: 'svc.run',
    run_id: run.id,
    status: run.status,
    created_at: seconds(run.createdAt),
    updated_at: seconds(run.updatedAt),
    session_id: run.sessionId,
    model: run.model,
    last_event: run.lastEvent ?? null,
    output: run.output ?? null,
    usage: run.usage ? formatTokenCounts(run.usage) : null,
    error: run.error ?? null,
  })
}

/** POST /v1/runs/{id}/stop. */
export async function stopRun(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const run = findRun(api, request)
  return jsonResponse({ run_id: run.id, status: api.runs.stop(run) ? 'stopping' : run.status })
}

/** GET /v1/runs/{id}/events. */
export async function followRun(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const run = findRun(api, request)
  const seen = Number(request.headers['last-event-id'] ?? 0)
  return eventStreamResponse(runEvents(api, run, Number.isFinite(seen) ? seen : 0, request.signal), api.ctx.use(Clock))
}

async function* runEvents(api: Api, run: Run, seen: number, signal: AbortSignal): AsyncGenerator<string> {
  const { ctx, runs } = api
  const outcome = new TurnOutcome()
  const thoughts: string[] = []
  const tell = (id: number, name: string, fields: object) =>
    formatServerEvent({ event: name, run_id: run.id, timestamp: ctx.use(Clock).now() / 1000, ...fields }, { id })
  for await (const each of runs.follow(run, signal)) {
    const shown = outcome.take(each)
    const told = shown
      ? (['message.delta', { delta: shown }] as const)
      : toRunEvent(each, thoughts, (text) => ctx.use(Secrets).mask(text))
    if (told && each.seq > seen) yield tell(each.seq, told[0], told[1])
  }
  const now = runs.find(run.id, run.scope)
  // After all events of the turn: a client that has it has all events.
  const last = Math.max(outcome.seq, run.after) + 1
  if (isOver(now) && last > seen) {
    const usage = formatTokenCounts(now.usage ?? {})
    const fields =
      now.status === 'completed' ? { output: now.output, usage } : now.status === 'failed' ? { error: now.error } : {}
    yield tell(last, `run.${now.status}`, fields)
  }
  yield ': stream closed\n\n'
}

/** Files for the person: where they are on the machine of svc. */
function formatFiles({ files }: Extract<TurnEvent, { type: 'tool.complete' }>, mask: (text: string) => string): object {
  return files ? { files: files.map(({ path, mediaType }) => ({ path: mask(path), media_type: mediaType })) } : {}
}

type RunEvent = readonly [name: string, fields: object]

/** Reasoning is sent once it is complete. */
function toRunEvent(each: TurnEvent, thoughts: string[], mask: (text: string) => string): RunEvent | undefined {
  switch (each.type) {
    case 'reasoning.delta':
      thoughts.push(each.text)
      return undefined
    case 'model.end':
      return thoughts.length > 0 ? ['reasoning.available', { text: thoughts.splice(0).join('') }] : undefined
    case 'tool.start':
      return ['tool.started', { tool: each.name, tool_call_id: each.callId, preview: toolCallLabel(each.input, mask) }]
    case 'tool.complete':
      return [
        'tool.completed',
        { tool: each.name, tool_call_id: each.callId, error: !each.ok, ...formatFiles(each, mask) },
      ]
    default:
      return toQuestionEvent(each, mask)
  }
}

/** POST /v1/runs/{id}/approval. */
export async function approveRun(
  api: Api,
  { http: request, body }: ApiRequest<unknown, z.infer<typeof approvalBody>>,
): Promise<HttpResponse> {
  const run = findRun(api, request)
  const choice = readApprovalChoice(body.choice)
  if (choice === undefined) throw wrongChoice('choice', CHOICES)
  if (isOver(run)) throw new SvcError('API_APPROVAL_NOT_ACTIVE', 'The run is over.', { status: 409 })
  const approvals = api.ctx.find(Approvals)
  const waiting = (approvals?.pending() ?? []).filter(
    (each) => each.turnId === run.turnId && (!body.approval_id || each.id === body.approval_id),
  )
  const meant = body.all || body.resolve_all ? waiting : waiting.slice(0, 1)
  if (!approvals || meant.length === 0)
    throw new SvcError('API_APPROVAL_NOT_PENDING', 'No question of this run waits for an answer.', { status: 409 })
  if (meant.some(({ choices }) => !choices.includes(choice))) throw wrongChoice('choice', meant[0]?.choices ?? [])
  for (const { id } of meant) approvals.answer(id, choice, 'api')
  return jsonResponse({ object: 'svc.run.approval_response', run_id: run.id, choice, resolved: meant.length })
}

/** POST /v1/runs/{id}/answer. */
export async function answerRun(
  api: Api,
  { http: request, body }: ApiRequest<unknown, z.infer<typeof answerBody>>,
): Promise<HttpResponse> {
  const run = findRun(api, request)
  const questions = api.ctx.find(Questions)
  const asked = questions
    ?.pending()
    .find((each) => each.turnId === run.turnId && (!body.question_id || each.id === body.question_id))
  if (!questions || !asked)
    throw new SvcError('API_APPROVAL_NOT_PENDING', 'No question of this run waits for an answer.', { status: 409 })
  questions.answer(asked.id, body.answer, 'api')
  return jsonResponse({ object: 'svc.run.answer_response', run_id: run.id, question_id: asked.id })
}

function findRun({ runs }: Api, request: HttpRequest): Run {
  return runs.find(request.params['id'] ?? '', readScope(request))
}
