/** Requests that reach no route: they are malformed, too slow, or end on the way. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpResponse } from 'svc/sdk/web'
import type { Failure } from './failures.ts'

const MALFORMED: Failure = {
  status: 400,
  code: 'HTTP_BAD_REQUEST',
  message: 'This is not a valid HTTP request.',
}
const SLOW: Failure = { status: 408, code: 'HTTP_TIMEOUT', message: 'The request took too long to arrive.' }
const LONG: Failure = { status: 431, code: 'HTTP_HEADERS', message: 'The headers are too large.' }
const TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** What the parser of Node complains of. */
export function parserFailure({ code }: NodeJS.ErrnoException): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return SLOW
  return code === 'HPE_HEADER_OVERFLOW' ? LONG : MALFORMED
}

/** What the parser lets pass: several hosts (RFC 9112, 3.2), and requests without a version (HTTP/0.9). */
export function requestFailure({ rawHeaders, httpVersionMajor }: IncomingMessage): Failure | undefined {
  if (httpVersionMajor < 1) return MALFORMED
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length > 1 ? { ...MALFORMED, message: 'The request names more than one host.' } : undefined
}

/** Writes a reply without a request, and hangs up. */
export function writeRefusal(socket: Socket, { status = 400, headers = {}, body = '' }: HttpResponse): void {
  const text = typeof body === 'string' ? body : ''
  const lines = [
    `HTTP/1.1 ${status} ${TEXTS[status] ?? ''}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}
