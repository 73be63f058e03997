/** The routes of this plugin. */
import { type ApiRequest, type ApiRoute, defineApiRoute, type HttpResponse } from 'svc/sdk/web'
import type { Api } from './api.ts'
import { chatBody, complete } from './chat.ts'
import { compact, countInput, windowBody } from './compaction.ts'
import { answerQuestion, listQuestions, questionAnswerBody } from './question-routes.ts'
import { responseBody } from './response-object.ts'
import { cancelResponse, readInputItems, readResponse, removeResponse, respond } from './responses.ts'
import {
  answerBody,
  answerRun,
  approvalBody,
  approveRun,
  createRun,
  followRun,
  readRun,
  runBody,
  stopRun,
} from './run-routes.ts'

export function ownRoutes(api: Api): readonly ApiRoute[] {
  return [chatRoute(api), ...responseRoutes(api), ...runRoutes(api), ...questionRoutes(api)]
}

function chatRoute(api: Api): ApiRoute {
  return defineApiRoute({
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Answers a conversation',
    body: chatBody,
    handle: (request) => complete(api, request),
  })
}

function responseRoutes(api: Api): ApiRoute[] {
  const one = '/v1/responses/:id'
  return [
    defineApiRoute({
      method: 'POST',
      path: '/v1/responses',
      summary: 'Creates a response that can be continued',
      body: responseBody,
      handle: (request) => respond(api, request),
    }),
    createPlainRoute('GET', one, 'A stored response', ({ http }) => readResponse(api, http)),
    createPlainRoute('GET', `${one}/input_items`, 'What was said to a response', ({ http }) =>
      readInputItems(api, http),
    ),
    createPlainRoute('POST', `${one}/cancel`, 'Stops a response in the background', ({ http }) =>
      cancelResponse(api, http),
    ),
    defineApiRoute({
      method: 'POST',
      path: '/v1/responses/compact',
      summary: 'Makes a conversation short, to be sent as the beginning of the next input',
      body: windowBody,
      handle: (request) => compact(api, request),
    }),
    defineApiRoute({
      method: 'POST',
      path: '/v1/responses/input_tokens',
      summary: 'Estimates the tokens of an input',
      body: windowBody,
      handle: (request) => countInput(api, request),
    }),
    createPlainRoute('DELETE', one, 'Removes a stored response', ({ http }) => removeResponse(api, http)),
  ]
}

function runRoutes(api: Api): ApiRoute[] {
  const one = '/v1/runs/:id'
  return [
    defineApiRoute({
      method: 'POST',
      path: '/v1/runs',
      summary: 'Starts a run in the background',
      body: runBody,
      handle: (request) => createRun(api, request),
    }),
    createPlainRoute('GET', one, 'How a run is', ({ http }) => readRun(api, http)),
    createPlainRoute('GET', `${one}/events`, 'What happens in a run, from Last-Event-ID on', ({ http }) =>
      followRun(api, http),
    ),
    defineApiRoute({
      method: 'POST',
      path: `${one}/approval`,
      summary: 'Answers a question of a run',
      body: approvalBody,
      handle: (request) => approveRun(api, request),
    }),
    defineApiRoute({
      method: 'POST',
      path: `${one}/answer`,
      summary: 'Answers what a tool of a run asks',
      body: answerBody,
      handle: (request) => answerRun(api, request),
    }),
    createPlainRoute('POST', `${one}/stop`, 'Stops a run', ({ http }) => stopRun(api, http)),
  ]
}

function questionRoutes(api: Api): ApiRoute[] {
  return [
    createPlainRoute('GET', '/v1/questions', 'What waits for an answer of the client', ({ scope }) =>
      listQuestions(api, scope),
    ),
    defineApiRoute({
      method: 'POST',
      path: '/v1/questions/:id/answer',
      summary: 'Answers a question or an approval of a chat, a response, a session or a run',
      body: questionAnswerBody,
      handle: (request) => answerQuestion(api, request),
    }),
  ]
}

/** A route that has everything in its path and its headers. */
function createPlainRoute(
  method: ApiRoute['method'],
  path: string,
  summary: string,
  handle: (request: ApiRequest) => Promise<HttpResponse>,
) {
  return { method, path, summary, handle }
}
