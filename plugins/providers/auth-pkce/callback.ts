/** Where the browser comes back to: RFC 8252, section 7.3. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage } from 'svc/sdk'
import { isSameSecret } from 'svc/sdk/kit/net'
import { signInError } from 'svc/sdk/kit/oauth'
import { readCode } from './answer.ts'

export interface Callback {
  readonly url: string
  readonly code: Promise<string>
  close(): void
}

const HEADERS = { 'content-type': 'text/plain; charset=utf-8', connection: 'close', 'referrer-policy': 'no-referrer' }

/**
 * Listens on loopback. What does not belong to this attempt is answered with 404 and ignored, so that another page cannot end it. Rejects
 * with `SIGN_IN_FAILED` when the port is taken.
 */
export async function openCallback(
  { port, host, path }: { readonly port: number; readonly host: string; readonly path: string },
  { label, state }: { readonly label: string; readonly state: string },
): Promise<Callback> {
  const { promise, resolve, reject } = withResolvers<string>()
  // The person may paste the code, or leave.
  promise.catch(() => undefined)
  let isUsed = false
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const isOurs = !isUsed && url.pathname === path && isSameSecret(url.searchParams.get('state') ?? '', state)
    response.writeHead(isOurs ? 200 : 404, HEADERS)
    if (isOurs) isUsed = true
    // The sign-in goes on when the page was sent: it ends the server.
    response.end(isOurs ? 'You can close this window and return to svc.\n' : 'Not found.\n', () => {
      if (isOurs) settle(url.searchParams)
    })
  })
  const settle = (answer: URLSearchParams) => {
    try {
      resolve(readCode(answer, state))
    } catch (error) {
      reject(error)
    }
  }
  await new Promise<void>((done, fail) => {
    server.once('error', (cause) => {
      const why = `${label} sends the browser to port ${port} of this machine, which cannot be listened on: ${errorMessage(cause)}.`
      fail(signInError('SIGN_IN_FAILED', `${why} Stop the program that uses it, and begin again`, cause))
    })
    server.listen(port, '127.0.0.1', () => done())
  })
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://${host}:${own}${path}`,
    code: promise,
    close() {
      server.close()
      server.closeIdleConnections()
      server.unref()
    },
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve, reject }
}
