/** The routes of this plugin. */
import { type ApiRoute, defineApiRoute } from 'svc/sdk'
import type { Api } from './api.ts'
import { chatBody, complete } from './chat.ts'
import { compact, countInput, windowBody } from './compaction.ts'
import { responseBody } from './response-object.ts'
import { cancelResponse, readInputItems, readResponse, removeResponse, respond } from './responses.ts'
import { approvalBody, approveRun, createRun, followRun, readRun, runBody, stopRun } from './run-routes.ts'

export function ownRoutes(api: Api): readonly ApiRoute[] {
  return [chatRoute(api), ...responseRoutes(api), ...runRoutes(api)]
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
      summary: 'Answers, and can be gone on from',
      body: responseBody,
      handle: (request) => respond(api, request),
    }),
    { method: 'GET', path: one, summary: 'A stored response', handle: ({ http }) => readResponse(api, http) },
    {
      method: 'GET',
      path: `${one}/input_items`,
      summary: 'What was said to a response',
      handle: ({ http }) => readInputItems(api, http),
    },
    {
      method: 'POST',
      path: `${one}/cancel`,
      summary: 'Stops a response in the background',
      handle: ({ http }) => cancelResponse(api, http),
    },
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
    {
      method: 'DELETE',
      path: one,
      summary: 'Removes a stored response',
      handle: ({ http }) => removeResponse(api, http),
    },
  ]
}

function runRoutes(api: Api): ApiRoute[] {
  const one = '/v1/runs/:id'
  return [
    defineApiRoute({
      method: 'POST',
      path: '/v1/runs',
      summary: 'Begins a run that goes on by itself',
      body: runBody,
      handle: (request) => createRun(api, request),
    }),
    { method: 'GET', path: one, summary: 'How a run is', handle: ({ http }) => readRun(api, http) },
    {
      method: 'GET',
      path: `${one}/events`,
      summary: 'What happens in a run, from Last-Event-ID on',
      handle: ({ http }) => followRun(api, http),
    },
    defineApiRoute({
      method: 'POST',
      path: `${one}/approval`,
      summary: 'Answers a question of a run',
      body: approvalBody,
      handle: (request) => approveRun(api, request),
    }),
    { method: 'POST', path: `${one}/stop`, summary: 'Stops a run', handle: ({ http }) => stopRun(api, http) },
  ]
}
