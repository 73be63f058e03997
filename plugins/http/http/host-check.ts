/**
 * DNS rebinding: a page gives its own name the address 127.0.0.1 and reads what listens there as its own. The name stands in
 * the header Host (RFC 9110, 7.2); a server on loopback answers its own names only, and so does one that knows its names.
 */
import { isIP } from 'node:net'
import { isLoopbackHost } from 'svc/sdk/provider'
import type { HttpApp } from 'svc/sdk/web'

/** Whether a request with this header may be meant for the app. */
export function isOwnHost(
  app: Pick<HttpApp, 'host' | 'hosts'>,
  header: string | undefined,
  known: readonly string[],
): boolean {
  const isReachable = !isLoopbackHost(app.host)
  // The names of a machine that others can reach cannot be listed; HTTP/1.0 names none, and no browser speaks it.
  if ((isReachable && app.hosts === undefined) || header === undefined) return true
  const name = toHostName(header)
  if (isLoopbackHost(name) || name.endsWith('.localhost') || (isReachable && isIP(name) !== 0)) return true
  return [...known, ...(app.hosts ?? [])].some((each) => toHostName(each) === name)
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
