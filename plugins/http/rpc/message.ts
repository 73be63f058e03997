/** Messages of JSON-RPC 2.0 (https://www.jsonrpc.org/specification): requests in, results and events out. */
import { errorCode, errorMessage, SvcError } from 'svc/sdk'
import { FAILED, getErrorNumber, INVALID_REQUEST, PARSE_ERROR } from './errors.ts'

/** Ids as the specification has them; null where the request had none that could be read. */
export type RequestId = string | number | null

/** A request; without an id it is a notification, and not answered. */
export interface Request {
  readonly id?: RequestId
  readonly method: string
  readonly params: unknown
}

/** The requests of a message, or the answer to one that has none. Batches are part of the protocol. */
export function parseMessage(text: string): readonly (Request | { readonly answer: string })[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return [{ answer: formatError(null, PARSE_ERROR, 'The message is not JSON. Send one JSON object on one line.') }]
  }
  if (!Array.isArray(value)) return [toRequest(value)]
  if (value.length === 0) return [{ answer: formatError(null, INVALID_REQUEST, 'The batch is empty.') }]
  return value.map(toRequest)
}

function toRequest(value: unknown): Request | { readonly answer: string } {
  const { id, method, params = {}, jsonrpc } = (value ?? {}) as Record<string, unknown>
  const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
  const reject = (text: string) => ({ answer: formatError(isId ? (id ?? null) : null, INVALID_REQUEST, text) })
  if (typeof value !== 'object' || value === null) return reject('A request is a JSON object.')
  if (jsonrpc !== '2.0') return reject('The request has no "jsonrpc": "2.0".')
  if (typeof method !== 'string') return reject('The request has no "method" that is a text.')
  if (!isId) return reject('The "id" of a request is a text or a number.')
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return reject('The "params" of a request are an object with names.')
  return { ...(id !== undefined && { id }), method, params }
}

export function formatResult(id: RequestId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? {} })
}

export function formatError(id: RequestId, code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })
}

/** What a method threw. Only errors that were made for people are passed on word for word. */
export function formatFailure(id: RequestId, error: unknown): string {
  if (!(error instanceof SvcError)) return formatError(id, FAILED, 'The method failed; the log of svc says why.')
  return formatError(id, getErrorNumber(error), errorMessage(error), { code: errorCode(error) })
}

/** An event about a session, or about none. */
export function formatEvent(type: string, payload: object, sessionId = ''): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'event', params: { type, session_id: sessionId, payload } })
}
