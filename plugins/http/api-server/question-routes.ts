/** The routes of questions: what waits for the client, and its answers. */
import { Secrets } from 'svc/sdk'
import { type ApiRequest, type HttpResponse, jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import type { Api } from './api.ts'
import { formatApproval, formatQuestion } from './question-format.ts'

export const questionAnswerBody = z.looseObject({
  answer: z.string().meta({
    description: 'A text; yes or no; a choice, or its number. For an approval: once, session, project, always or deny.',
  }),
})

/** GET /v1/questions. */
export async function listQuestions({ ctx, questions }: Api, scope: string): Promise<HttpResponse> {
  const mask = (text: string) => ctx.use(Secrets).mask(text)
  const data = questions.pending(scope).map((pending) => ({
    ...('question' in pending
      ? { object: 'svc.question', id: pending.question.id, ...formatQuestion(pending.question, mask) }
      : { object: 'svc.approval', id: pending.request.id, ...formatApproval(pending.request, mask) }),
    session_id: pending.sessionId,
  }))
  return jsonResponse({ object: 'list', data })
}

/** POST /v1/questions/{id}/answer. */
export async function answerQuestion(
  { questions }: Api,
  { http, body, scope }: ApiRequest<unknown, z.infer<typeof questionAnswerBody>>,
): Promise<HttpResponse> {
  const id = http.params['id'] ?? ''
  questions.answer(id, body.answer, scope)
  return jsonResponse({ object: 'svc.question.answer', id })
}
