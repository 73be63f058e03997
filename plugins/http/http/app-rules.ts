/** Which apps may listen where: work needs a lock wherever others can reach it. Pure. */
import { SvcError } from 'svc/sdk'
import { isLoopbackHost } from 'svc/sdk/provider'
import type { HttpApp, HttpAuth, HttpRoute, HttpSocketRoute } from 'svc/sdk/web'

/** The lock that a route has. */
export function getLock(app: HttpApp, route: HttpRoute | HttpSocketRoute): HttpAuth {
  return route.lock ?? app.lock
}

/** Throws `HTTP_OPEN_DOOR` if the app would do work without authentication. */
export function checkAppLocks(app: HttpApp): void {
  if (isLoopbackHost(app.host)) return
  const sockets = (app.sockets ?? []).map((socket) => ({ ...socket, method: SOCKET }))
  for (const route of [...app.routes, ...sockets]) {
    const problem = findLockProblem(getLock(app, route), route)
    if (!problem) continue
    const place = `${route.method} ${app.prefix}${route.path} of ${app.name}`
    throw new SvcError('HTTP_OPEN_DOOR', `${place} ${problem}, and ${app.host} can be reached by others. ${advice}`, {
      exposes: true,
    })
  }
}

/** What the message calls a path that is upgraded. */
const SOCKET = 'WebSocket'
const advice = 'Nothing was opened. Listen on 127.0.0.1, or set its secret first.'

/** What a GET without a lock gives away is for its app to keep harmless; anything else does work. */
function findLockProblem(lock: HttpAuth, { method }: { readonly method: string }): string | undefined {
  if (lock.kind === 'public' && method !== 'GET') return 'works without any proof of who asks'
  if (lock.kind === 'bearer' && !lock.secret()) return 'has no key'
  if (lock.kind === 'credential' && !lock.isSet()) return 'can be opened by no user'
  return undefined
}

/** A path that both apps would answer, if they shared a server. */
export function takenPath(app: HttpApp, other: HttpApp): string | undefined {
  return listPaths(app).find((path) => listPaths(other).some((their) => isSame(path, their)))
}

/** Paths of all routes with their parameters. Wildcards are not among them: they yield to every path. */
export function listPaths({ prefix, routes, sockets = [] }: HttpApp): string[] {
  const paths = [...routes, ...sockets].map(({ path }) => path)
  return paths.filter((path) => !isWildcard(path)).map((path) => `${prefix}${path}` || '/')
}

/** Whether a path stands for everything below it. */
export function isWildcard(path: string): boolean {
  return path.endsWith('/*')
}

/** Whether a path is below that of a wildcard. */
export function isCaught(wildcard: string, path: string): boolean {
  return path.startsWith(wildcard.slice(0, -1))
}

/** Whether some path fits both. */
export function isSame(one: string, two: string): boolean {
  const [first, second] = [one.split('/'), two.split('/')]
  return (
    first.length === second.length &&
    first.every((part, at) => part === second[at] || part.startsWith(':') || second[at]?.startsWith(':') === true)
  )
}

/** Whether a path is the prefix or below it. */
export function isBelow(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
}
