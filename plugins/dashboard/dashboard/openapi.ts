/** The description of the interface, made from its routes (https://spec.openapis.org/oas/v3.1.0). */
import type { DashboardRoute } from 'svc/sdk/dashboard'

type Json = Readonly<Record<string, unknown>>

const failure = {
  type: 'object',
  required: ['detail', 'code'],
  properties: {
    detail: { type: 'string' },
    code: { type: 'string' },
    param: { type: 'string', description: 'The field that it is about.' },
  },
}

/** Paths with `{id}` in the place of `:id`. */
export function describeRoutes(routes: readonly DashboardRoute[], version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc dashboard', version },
    security: [{ token: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Svc-Session-Token' },
        bearer: { type: 'http', scheme: 'bearer' },
        secret: { type: 'http', scheme: 'bearer', description: 'A secret that opens this route only.' },
        ticket: { type: 'apiKey', in: 'query', name: 'ticket' },
      },
      schemas: { Failure: failure },
    },
  }
}

function describeRoute(route: DashboardRoute, path: string): Json {
  const { method, summary, auth, secret, isDownload, query, body, response } = route
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } }
  })
  const parameters = [...inPath, ...describeQuery(toJsonSchema(query))]
  const sent = toJsonSchema(body)
  return {
    operationId: `${method} ${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'),
    summary,
    ...(auth === 'public' && { security: [] }),
    ...(secret && { security: [{ token: [] }, { bearer: [] }, { secret: [] }] }),
    ...(isDownload && { security: [{ token: [] }, { bearer: [] }, { ticket: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(sent && { requestBody: { content: toContent(sent) } }),
    responses: {
      '200': { description: summary, content: toContent(toJsonSchema(response, 'output') ?? {}) },
      default: { description: 'What went wrong', content: toContent({ $ref: '#/components/schemas/Failure' }) },
    },
  }
}

function describeQuery(schema: Json | undefined): readonly Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...value }]) => ({
    ...{ name, in: 'query', required: required.includes(name), schema: value },
    ...(description !== undefined && { description }),
  }))
}

function toContent(schema: Json): Json {
  return { 'application/json': { schema } }
}

function toJsonSchema(schema: DashboardRoute['body'], side: 'input' | 'output' = 'input'): Json | undefined {
  const { $schema: _, ...described } = schema?.['~standard'].jsonSchema?.[side]?.({ target: 'draft-2020-12' }) ?? {}
  return schema && described
}
