/**
 * What every route has in common: bodies and queries that are read, and failures in the shape of the public API
 * (https://platform.openai.com/docs/guides/error-codes).
 */
import { type Schema, SvcError } from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import { type HttpRequest, type HttpResponse, jsonResponse, parseJsonBody } from 'svc/sdk/web'

/** Codes of others in the words of this API. */
const renamed: Readonly<Record<string, { readonly code: string; readonly status?: number }>> = {
  HTTP_UNAUTHORIZED: { code: 'invalid_api_key' },
  HTTP_TOO_LARGE: { code: 'body_too_large' },
  HTTP_BAD_REQUEST: { code: 'invalid_request' },
  HTTP_NOT_FOUND: { code: 'not_found' },
  HTTP_METHOD: { code: 'method_not_allowed' },
  HTTP_ORIGIN: { code: 'origin_not_allowed' },
  HTTP_HOST: { code: 'host_not_known' },
  HTTP_GUESSED: { code: 'too_many_wrong_keys' },
  HTTP_TIMEOUT: { code: 'request_timeout' },
  HTTP_HEADERS: { code: 'headers_too_large' },
  HTTP_FAILED: { code: 'internal_error' },
  AGENT_FORMAT_INVALID: { code: 'invalid_json_schema' },
  AGENT_FORMAT_UNSUPPORTED: { code: 'unsupported_parameter' },
  API_CONVERSATION_UNKNOWN: { code: 'conversation_not_found' },
  API_CONVERSATION_ITEM_NOT_FOUND: { code: 'item_not_found' },
  MODEL_UNAVAILABLE: { code: 'model_unavailable', status: 503 },
  MODEL_NOT_CHOSEN: { code: 'model_not_chosen', status: 503 },
  MODEL_PROVIDER_UNKNOWN: { code: 'model_provider_unknown', status: 503 },
  AGENT_BUSY: { code: 'session_busy', status: 409 },
  SESSION_BUSY: { code: 'session_busy', status: 409 },
}

/** A failure as clients get it. */
export function failure(error: {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param?: string | undefined
}): HttpResponse {
  const known = renamed[error.code]
  const status = known?.status ?? error.status
  const code = known?.code ?? error.code.replace(/^API_/, '').toLowerCase()
  const body = { error: { message: error.message, type: chooseErrorType(status), param: error.param ?? null, code } }
  return jsonResponse(body, status, status === 429 || status === 503 ? { 'retry-after': '1' } : {})
}

function chooseErrorType(status: number): string {
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** An error that names the field it is about. */
export function about(param: string, error: SvcError): SvcError {
  return new SvcError(error.code, error.message, { status: error.status, param })
}

/** A wrong field. */
export function createFieldError(param: string, message: string): SvcError {
  return about(param, new SvcError('API_INVALID_REQUEST', message, { status: 400 }))
}

/** An unexpected error exposes no details. */
const unforeseen = {
  status: 500,
  code: 'HTTP_FAILED',
  message: 'The server failed while it answered. Its log says why.',
}

/** A failure as clients get it outside a reply. */
export function createRefusal(error: unknown): { readonly status: number; readonly body: string } {
  const { status = 500, body } = failure(error instanceof SvcError ? error : unforeseen)
  return { status, body: String(body) }
}

/** Clients show the id with a failure. */
export function addRequestId(id: string, reply: HttpResponse): HttpResponse {
  return { ...reply, headers: { ...reply.headers, 'x-request-id': id } }
}

/** The body as an object that fits the schema; an empty one counts as `{}`. Throws with the first field that does not. */
export async function readBody<T>({ body }: HttpRequest, schema: Schema<T>): Promise<T> {
  if (body.byteLength > 0) return validateFields(parseBody(body), schema, 'body')
  const result = await schema['~standard'].validate({})
  return result.issues ? validateFields(parseBody(body), schema, 'body') : result.value
}

/** The query as an object of texts that fits the schema; of repeated names the last. */
export async function readQuery<T>({ query }: HttpRequest, schema: Schema<T>): Promise<T> {
  return validateFields(Object.fromEntries(query), schema, 'query')
}

/** A value that fits the schema. Throws with the first field that does not; `whole` is what the value is called. */
export async function validateFields<T>(value: unknown, schema: Schema<T>, whole: string): Promise<T> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const [issue] = result.issues
  const param = issue ? formatIssuePath(issue) : ''
  throw createFieldError(param || whole, `${param || `The ${whole}`}: ${issue?.message ?? 'is wrong'}.`)
}

/** Nothing else is answered while a body is parsed, so it is refused before when it is large or of an odd shape. */
function parseBody(body: Uint8Array): unknown {
  const read = parseJsonBody(body)
  if (read.kind === 'value') return read.value
  if (read.kind === 'limit') throw new SvcError('API_BODY_LIMIT', read.reason, { status: 413 })
  throw new SvcError('API_INVALID_JSON', 'The body is not JSON.', { status: 400 })
}

/** Whether a caller may name something so: it becomes a part of file names, of paths and of lines of logs. */
export function isId(value: string): boolean {
  return /^[\w.:@-]{1,256}$/.test(value) && value !== '.' && !value.includes('..')
}

/** An id in a header. */
export function headerId(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  if (value === undefined || value === '') return undefined
  if (isId(value)) return value
  throw about(
    name,
    new SvcError('API_INVALID_SESSION_ID', `${name} has up to 256 letters, digits and ._:@-`, { status: 400 }),
  )
}

/** The last line of a stream of chunks, and of responses (https://www.openresponses.org/specification). */
export const DONE = 'data: [DONE]\n\n'

/** Seconds since 1970, as the public API counts. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
