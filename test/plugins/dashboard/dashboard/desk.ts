/** A kernel whose dashboard listens, with what a test contributes, and clients of it. */
import type { OpenOptions } from 'svc'
import { definePlugin, type PluginContext } from 'svc/sdk'
import { Dashboard, type DashboardOptions } from 'svc/sdk/dashboard'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'

export interface Desk {
  readonly kernel: TestKernel
  readonly url: string
  readonly port: number
  readonly token: string
  /** Asks with the token, or with other headers. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
  socket(path: string, headers?: Record<string, string>): WebSocket
}

export interface AskOptions {
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  readonly json: any
}

export interface DeskOptions extends OpenOptions {
  /** What a plugin of the test contributes. */
  readonly setup?: (ctx: PluginContext<undefined>) => void
}

export async function openDashboard(options: DeskOptions = {}, served: DashboardOptions = {}): Promise<Desk> {
  const desk = await openTestKernel(options, served)
  onTestFinished(() => desk.kernel.stop())
  return desk
}

/** The same, for several tests: the caller stops the kernel. */
export async function openTestKernel(options: DeskOptions = {}, served: DashboardOptions = {}): Promise<Desk> {
  const { setup, ...rest } = options
  const kernel = await testKernel({
    ...rest,
    plugins: ['dashboard', ...(options.plugins ?? [])],
    with: [...(setup ? [{ ...definePlugin({ setup }), name: 'of-the-test' }] : []), ...(options.with ?? [])],
  })
  const dashboard = kernel.use(Dashboard)
  const { url, port, token } = await serve().catch(async (error) => {
    await kernel.stop()
    throw error
  })
  async function serve() {
    const listening = await dashboard.serve({ port: 0, ...served })
    return { url: listening.url, port: listening.port, token: dashboard.token }
  }
  const withToken = { 'x-svc-session-token': token }
  return {
    ...{ kernel, url, port, token },
    async ask(method, path, { body, headers = withToken } = {}) {
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
      })
      const text = await reply.text()
      const isJson = reply.headers.get('content-type')?.startsWith('application/json')
      return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : undefined }
    },
    socket: (path, headers = {}) => new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers }),
  }
}

/** The status that an upgrade is refused with, or 101. */
export function upgradeStatus(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('unexpected-response', (_request, response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    socket.once('error', () => {})
  })
}
