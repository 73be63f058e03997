/** The types of the web UI's client, from what the routes and methods of the dashboard say of themselves. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { testKernel } from 'svc/sdk/testing'
import { Rpc } from 'svc/sdk/web'
import { removeFolder } from '../remove-folder.ts'
import { findManifest, pluginNames } from '../repository.ts'
import { code, table } from './markdown.ts'

export const CONTRACT = 'plugins/dashboard/web-ui/app/client/contract.ts'

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly parameters?: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: Json }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly '200': { readonly content: Content } }
}

interface Content {
  readonly 'application/json': { readonly schema: Json }
}

interface Method {
  readonly name: string
  readonly summary: string
  readonly params: Json
  readonly result: Json
}

interface Interface {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly methods: readonly Method[]
}

let described: Promise<Interface> | undefined

/** With all plugins that have routes or methods. */
function describe(): Promise<Interface> {
  described ??= read()
  return described
}

async function read(): Promise<Interface> {
  const home = mkdtempSync(join(tmpdir(), 'svc-contract-'))
  const plugins = pluginNames().filter((name) => {
    const { requires = [], with: along = [], contributes = {} } = findManifest(name) ?? {}
    return [...requires, ...along].includes('dashboard') || 'rpc-methods' in contributes
  })
  const kernel = await testKernel({ home, plugins: ['dashboard', 'rpc', 'kanban-api', ...plugins] })
  try {
    const route = kernel.all(DashboardRoutes).get('GET /api/openapi.json')
    if (!route) throw new Error('the dashboard does not describe its routes')
    const { paths } = (await route.handle({} as never)) as Pick<Interface, 'paths'>
    const answer = await new Promise<string>((send) => {
      const connection = kernel.use(Rpc).connect({ cwd: home, send })
      connection.receive('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}')
    })
    const { methods } = (JSON.parse(answer) as { result: Pick<Interface, 'methods'> }).result
    return { paths, methods: methods.toSorted(({ name: one }, { name: two }) => (one < two ? -1 : 1)) }
  } finally {
    await kernel.stop()
    removeFolder(home)
  }
}

/** The whole file, not yet formatted. */
export async function makeContract(): Promise<string> {
  const { paths, methods } = await describe()
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const key = `${verb.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
      return [key, formatOperation(operation)] as const
    }),
  )
  return [
    '/** Written by `npm run docs` from the routes and methods of the dashboard: what each takes and answers. */',
    'export interface Routes {',
    ...routes.toSorted(([one], [two]) => (one < two ? -1 : 1)).map(([key, type]) => `'${key}': ${type}`),
    '}',
    'export interface Methods {',
    ...methods.map(
      ({ name, params, result }) => `'${name}': { params: ${toType(params)}; result: ${toType(result, 'out')} }`,
    ),
    '}',
  ].join('\n')
}

/** The methods, for the README of `rpc`. */
export async function methodsTable(): Promise<string> {
  const { methods } = await describe()
  const names = ({ params }: Method) => {
    const required = new Set(params['required'] as readonly string[] | undefined)
    return Object.keys((params['properties'] ?? {}) as Json)
      .map((name) => code(required.has(name) ? name : `${name}?`))
      .join(' ')
  }
  const results = ({ result }: Method) =>
    Object.keys((result['properties'] ?? {}) as Json)
      .map(code)
      .join(' ')
  return table(
    ['Method', 'Takes', 'Answers', 'What it does'],
    methods.map((method) => [code(method.name), names(method), results(method), method.summary]),
  )
}

function formatOperation({ parameters = [], requestBody, responses }: Operation): string {
  const list = (kind: 'path' | 'query') => {
    const of = parameters.filter((parameter) => parameter.in === kind)
    const members = of.map(({ name, required, schema }) => formatMember(name, schema, required))
    return `{ ${members.join('; ')} }`
  }
  const body = requestBody ? toType(requestBody.content['application/json'].schema) : 'undefined'
  const result = toType(responses['200'].content['application/json'].schema, 'out')
  return `{ params: ${list('path')}; query: ${list('query')}; body: ${body}; result: ${result} }`
}

/** Members of a request may be undefined; members of a JSON response may not. */
type Way = 'in' | 'out'

function formatMember(name: string, schema: Json, isRequired: boolean, way: Way = 'in'): string {
  const key = /^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name)
  return `readonly ${key}${isRequired ? '' : '?'}: ${toType(schema, way)}${isRequired || way === 'out' ? '' : ' | undefined'}`
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** https://json-schema.org/draft/2020-12: the part that zod writes. What is not known is `unknown`. */
export function toType(schema: Json, way: Way = 'in'): string {
  const { type, items, enum: values } = schema
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ') || 'never'
  const either = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined
  if (either) return `(${[...new Set(either.map((each) => toType(each, way)))].join(' | ')})`
  if (Array.isArray(type)) return `(${type.map((each) => toType({ ...schema, type: each }, way)).join(' | ')})`
  const places = schema['prefixItems'] as readonly Json[] | undefined
  if (places) return `readonly [${places.map((each) => toType(each, way)).join(', ')}]`
  if (type === 'array') return `readonly (${toType((items ?? {}) as Json, way)})[]`
  return type === 'object' ? toObject(schema, way) : (PLAIN[String(type)] ?? 'unknown')
}

function toObject({ properties, required = [], additionalProperties }: Json, way: Way): string {
  const members = Object.entries((properties ?? {}) as Readonly<Record<string, Json>>)
  if (members.length === 0) {
    const rest = typeof additionalProperties === 'object' ? toType(additionalProperties as Json, way) : 'unknown'
    return `Readonly<Record<string, ${additionalProperties === false ? 'never' : rest}>>`
  }
  const needed = new Set(required as readonly string[])
  return `{ ${members.map(([name, value]) => formatMember(name, value, needed.has(name), way)).join('; ')} }`
}
