/**
 * Browsers of other origins, after the Fetch Standard (https://fetch.spec.whatwg.org/#http-cors-protocol). A page whose
 * origin is not listed is rejected, rather than only left unread: otherwise its request would have taken effect.
 */
import type { IncomingMessage } from 'node:http'
import type { HttpApp } from 'svc/sdk/web'

type Headers = Readonly<Record<string, string>>

/** Seconds for which a browser remembers what it may do. */
const REMEMBERED = '600'
/** Readable by pages without being exposed. */
const plain = new Set(['cache-control', 'content-language', 'content-length', 'content-type', 'expires'])

/** What an app says to the page that asks: headers, or undefined when the page may not. */
export function originHeaders(app: HttpApp, { origin, host }: IncomingMessage['headers']): Headers | undefined {
  const { origins = [] } = app
  if (origin === undefined) return hasOrigins(app) ? { vary: 'Origin' } : {}
  if (typeof origins !== 'function' && origins.includes('*'))
    return { 'access-control-allow-origin': '*', vary: 'Origin' }
  if (typeof origins === 'function' ? !origins(origin, host) : !origins.includes(origin)) return undefined
  return { 'access-control-allow-origin': origin, vary: 'Origin' }
}

/** Whether pages of some other origin may ask. */
export function hasOrigins({ origins = [] }: Pick<HttpApp, 'origins'>): boolean {
  return typeof origins === 'function' || origins.length > 0
}

/** The answer to the question that a browser asks first. It names what it will send; the locks decide what it may. */
export function preflightHeaders(app: HttpApp, request: IncomingMessage): Headers {
  const methods = [...new Set(app.routes.map(({ method }) => method)), 'OPTIONS'].join(', ')
  const asked = request.headers['access-control-request-headers']
  return {
    'access-control-allow-methods': methods,
    ...(asked && { 'access-control-allow-headers': asked }),
    'access-control-max-age': REMEMBERED,
  }
}

/** Lets a page read the headers of a reply. */
export function exposeHeaders(headers: Headers): Headers {
  const names = Object.keys(headers).filter((name) => !plain.has(name.toLowerCase()))
  return names.length > 0 ? { 'access-control-expose-headers': names.join(', ') } : {}
}
