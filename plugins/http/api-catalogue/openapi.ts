/** The description of the API, made from its routes (https://spec.openapis.org/oas/v3.1.0). */
import type { HttpRoute } from 'svc/sdk/web'

type Json = Readonly<Record<string, unknown>>

const failureSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string', enum: ['invalid_request_error', 'rate_limit_error', 'server_error'] },
        param: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
      },
    },
  },
}

/** Paths with `{id}` in the place of `:id`. */
export function openApi(
  routes: readonly HttpRoute[],
  server: { readonly url: string; readonly version: string },
): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: createOperation(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version: server.version, description: 'The agent, for programs.' },
    servers: [{ url: server.url }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Failure: failureSchema },
      responses: {
        Failure: { description: 'What went wrong', content: content({ $ref: '#/components/schemas/Failure' }) },
      },
    },
  }
}

function createOperation({ method, summary, query, request, response, lock }: HttpRoute, path: string): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } }
  })
  const parameters = [...inPath, ...queryParameters(query)]
  const schema = toJsonSchema(request)
  const answer = toJsonSchema(response) ?? { type: 'object' }
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-zA-Z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')}`,
    ...(summary && { summary }),
    ...(lock?.kind === 'public' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema && { requestBody: { required: true, content: content(schema) } }),
    responses: {
      200: { description: 'As asked', content: content(answer) },
      default: { $ref: '#/components/responses/Failure' },
    },
  }
}

function queryParameters(query: HttpRoute['query']): Json[] {
  const { properties = {}, required = [] } = (toJsonSchema(query) ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    return { name, in: 'query', required: required.includes(name), schema, ...(description && { description }) }
  })
}

function toJsonSchema(schema: HttpRoute['query']): Json | undefined {
  return schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
}

function content(schema: Json): Json {
  return { 'application/json': { schema } }
}
