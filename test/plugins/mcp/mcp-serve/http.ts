/** The server over HTTP, on a free port. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CliCommands, type CliContext } from 'svc/sdk'
import type { TestKernel } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { type ClientOptions, createClient, openKernel } from './client.ts'

export const KEY = 'k3y-of-the-test-0123456789'

export async function startServer(
  replies: Parameters<typeof openKernel>[0],
  { kernel: options, fillIn }: ClientOptions = {},
  key: string | undefined = KEY,
) {
  const { kernel, model } = await openKernel(replies, {
    ...options,
    env: { ...options?.env, ...(key !== undefined && { MCP_SERVE_KEY: key }) },
  })
  const { url, ended, stop } = await listen(kernel)
  return {
    kernel,
    model,
    url,
    ended,
    stop,
    connect: async (headers: Record<string, string> = { authorization: `Bearer ${KEY}` }) => {
      const client = createClient(fillIn)
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
      onTestFinished(() => client.close())
      return client
    },
  }
}

/** Rejects when the server does not start. */
export async function listen(kernel: TestKernel) {
  const stop = new AbortController()
  let out = ''
  const io = {
    out: (text: string) => {
      out += text
    },
    err: () => {},
    drained: async () => {},
    cwd: kernel.home,
    signal: stop.signal,
  } as unknown as CliContext
  const command = kernel.all(CliCommands).get('mcp serve')
  const ended = Promise.resolve(command?.run?.({ args: [], options: { http: true, port: '0' } }, io))
  await Promise.race([ended, expect.poll(() => out).toContain('http://')])
  onTestFinished(() => stop.abort())
  const url = /http:\/\/\S+/.exec(out)?.[0] ?? ''
  return { url, ended, stop: () => stop.abort() }
}
