/** JSON in requests and answers of `Net`. */
import { SvcError } from '../../errors.ts'
import type { NetRequest, NetResponse } from '../../ports.ts'
import { formatIssuePath, type Schema } from '../../schema.ts'

const QUOTE_LENGTH = 200

/** The request with its `json` as a body. @since 0.2 */
export function encodeJsonBody({ json, ...request }: NetRequest): NetRequest {
  if (json === undefined) return request
  const isTyped = Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'content-type')
  return {
    ...request,
    method: request.method ?? 'POST',
    headers: { ...(!isTyped && { 'content-type': 'application/json' }), ...request.headers },
    body: JSON.stringify(json),
  }
}

/** `NetResponse.json` for a response that has a `text`. Rejects with `NET_JSON`. @since 0.2 */
export async function readJsonBody<T>(
  response: Pick<NetResponse, 'status' | 'text'>,
  origin: string,
  schema?: Schema<T>,
): Promise<T> {
  const text = await response.text()
  const value = parse(text, `${origin} answered with status ${response.status}, but not with JSON`)
  const result = await schema?.['~standard'].validate(value)
  if (result?.issues) {
    const issues = result.issues.map((issue) => [formatIssuePath(issue), issue.message].filter(Boolean).join(': '))
    throw new SvcError(
      'NET_JSON',
      `${origin} answered with JSON that does not fit: ${issues.join('; ')}. ${quote(text)}`,
    )
  }
  return (result ? result.value : value) as T
}

function parse(text: string, problem: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SvcError('NET_JSON', `${problem}. ${quote(text)}`, { cause })
  }
}

const quote = (text: string) => `It begins with: ${JSON.stringify(text.slice(0, QUOTE_LENGTH))}`
