/** A kernel whose servers a test mounts apps on, and requests that browsers and libraries would not send. */
import { connect } from 'node:net'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { Http, type HttpApp, type HttpRequest, type HttpResponse, jsonResponse } from 'svc/sdk/web'
import { onTestFinished } from 'vitest'

export const KEY = 'correct-horse-battery'

export async function openHttp(config: Record<string, unknown> = {}): Promise<{ kernel: TestKernel; http: Http }> {
  const kernel = await testKernel({ plugins: ['http'], config: { http: config } })
  onTestFinished(() => kernel.stop())
  return { kernel, http: kernel.use(Http) }
}

/** An app on loopback that echoes what it is sent. */
export function echoApp(changes: Partial<HttpApp> = {}): HttpApp {
  const echo = async ({ method, body, params, query, headers }: HttpRequest): Promise<HttpResponse> =>
    jsonResponse({
      method,
      body: Buffer.from(body).toString(),
      params,
      query: Object.fromEntries(query),
      header: headers['x-note'],
    })
  return {
    name: 'echo',
    host: '127.0.0.1',
    port: 0,
    prefix: '',
    lock: { kind: 'bearer', secret: () => KEY },
    routes: [
      { method: 'GET', path: '/health', lock: { kind: 'public' }, handle: async () => jsonResponse({ ok: true }) },
      { method: 'POST', path: '/echo', maxBytes: 1000, handle: echo },
      { method: 'GET', path: '/things/:id', handle: echo },
    ],
    ...changes,
  }
}

export const bearer = { authorization: `Bearer ${KEY}` }

/** Writes bytes as they are and reads until the server hangs up or `until` was seen. */
export function raw(
  port: number,
  pieces: readonly (string | Buffer)[],
  until?: string,
): Promise<{ readonly text: string; readonly ended: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const done = (ended: boolean) => {
      socket.destroy()
      resolve({ text, ended })
    }
    socket.on('data', (chunk) => {
      text += chunk
      if (until && text.includes(until)) done(false)
    })
    socket.on('close', () => done(true))
    socket.on('error', () => done(true))
    for (const piece of pieces) socket.write(piece)
  })
}
