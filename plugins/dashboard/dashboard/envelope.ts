/** What all routes have in common: queries and bodies that are checked, and failures as `{"detail": …}`. */
import { type Schema, SvcError } from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import { type HttpRequest, type HttpResponse, jsonResponse, parseJsonBody } from 'svc/sdk/web'

/** Codes that mean the same for each route, with the status that HTTP has for them. */
const STATUS: Readonly<Record<string, number>> = {
  SESSION_NOT_FOUND: 404,
  AGENT_BUSY: 409,
  SESSION_BUSY: 409,
  SESSION_IN_USE: 409,
  STORAGE_BUSY: 503,
  STORAGE_TIMEOUT: 503,
  STORAGE_UNAVAILABLE: 503,
}

export function failure(error: {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param?: string
}): HttpResponse {
  const status = STATUS[error.code] ?? error.status
  const isAuth = error.code === 'HTTP_UNAUTHORIZED'
  const detail = isAuth ? 'Unauthorized' : error.message
  const code = error.code.replace(/^(DASHBOARD|API)_/, '').toLowerCase()
  return jsonResponse({ detail, code, ...(error.param !== undefined && { param: error.param }) }, status)
}

/** An empty body counts as `{}`. */
export async function readBody<T>({ body }: HttpRequest, schema: Schema<T>, maxBytes: number): Promise<T> {
  if (body.byteLength === 0) return check({}, schema, 'body')
  const read = parseJsonBody(body, { maxPlainBytes: maxBytes, maxValues: Math.max(50_000, maxBytes / 20) })
  if (read.kind === 'limit') throw new SvcError('DASHBOARD_BODY', read.reason, { status: 413 })
  if (read.kind === 'malformed') throw new SvcError('DASHBOARD_BODY', 'The body is not JSON.', { status: 400 })
  return check(read.value, schema, 'body')
}

export async function readQuery<T>({ query }: HttpRequest, schema: Schema<T>): Promise<T> {
  // A credential in the address is not for the route.
  const entries = [...query].filter(([name]) => name !== 'token' && name !== 'ticket')
  return check(Object.fromEntries(entries), schema, 'query')
}

async function check<T>(value: unknown, schema: Schema<T>, whole: string): Promise<T> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const [issue] = result.issues
  const param = (issue ? formatIssuePath(issue) : '') || whole
  throw new SvcError('DASHBOARD_INPUT', `${param}: ${issue?.message ?? 'is wrong'}.`, { status: 400, param })
}
