/**
 * DNS rebinding: a page gives its own name the address 127.0.0.1 and reads what listens there as its own. The name stands in
 * the header Host (RFC 9110, 7.2); a server on loopback answers its own names only.
 */
import { isLoopbackHost } from 'svc/sdk/provider'
import type { HttpApp } from 'svc/sdk/web'

/** Whether a request with this header may be meant for the app. */
export function isOwnHost(app: Pick<HttpApp, 'host'>, header: string | undefined, known: readonly string[]): boolean {
  // Where others can connect the names of the machine cannot be listed; HTTP/1.0 names none, and no browser speaks it.
  if (!isLoopbackHost(app.host) || header === undefined) return true
  const name = toHostName(header)
  return isLoopbackHost(name) || name.endsWith('.localhost') || known.some((each) => toHostName(each) === name)
}

/** Without port, brackets and the dot of the root. */
function toHostName(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}
