/** A kernel with the web tools, fake backends, and a website on loopback. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Tool, type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, type TestKernel, testKernel, type VirtualClock } from 'svc/sdk/testing'
import { type WebSearchProvider, WebSearchProviders } from 'svc/sdk/web'

/** How a website answers one path. */
export type Site = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** A running website. */
export interface Website {
  readonly url: string
  close(): Promise<void>
}

export async function startWebsite(site: Site): Promise<Website> {
  const server = http.createServer(site)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What a stage is made of. */
export interface StageOptions {
  readonly backends?: readonly WebSearchProvider[]
  readonly config?: object
  /** Real backends by the name of their plugin, with their configuration. */
  readonly real?: Readonly<Record<string, object>>
  readonly env?: Record<string, string>
  readonly clock?: VirtualClock
  /** More embedded plugins. */
  readonly with?: Parameters<typeof testKernel>[0] extends infer Options | undefined
    ? Options extends { with?: infer More }
      ? NonNullable<More>
      : never
    : never
}

/** Loads the tools with private addresses allowed, so that the website can be read. */
export async function startStage({
  backends = [],
  config = {},
  real = {},
  with: more = [],
  ...rest
}: StageOptions = {}) {
  const kernel = await testKernel({
    plugins: ['tool-web', ...Object.keys(real), ...more.map(({ name }) => name)],
    with: [
      {
        name: 'fake-backends',
        contributes: { 'web-backends': backends.map(({ name }) => name) },
        setup: (ctx) => {
          for (const backend of backends) ctx.add(WebSearchProviders, backend)
        },
      },
      ...more,
    ],
    config: { security: { allow_private_urls: true }, web: config, plugins: { entries: real } },
    ...rest,
  })
  return { kernel, ...callers(kernel) }
}

function callers(kernel: TestKernel) {
  const progress: string[] = []
  const tool = (name: string): Tool => {
    const found = kernel.all(Tools).get(name)
    if (!found) throw new Error(`no tool ${name}: ${JSON.stringify(kernel.problems())}`)
    return found
  }
  const call = async (name: string, input: object, signal = new AbortController().signal): Promise<ToolResult> => {
    const parsed = await tool(name).input['~standard'].validate(input)
    if (parsed.issues) throw new Error(`bad input: ${parsed.issues[0]?.message}`)
    const turn = fakeToolTurn({
      sessionId: 's',
      turnId: 't',
      cwd: kernel.home,
      signal,
      progress: (text) => void progress.push(text),
    })
    const result = await tool(name).run(parsed.value, turn)
    return typeof result === 'string' ? { text: result } : result
  }
  return { progress, tool, call }
}

/** A backend that answers, or fails with `problem`. */
export function fakeBackend(
  name: string,
  more: Partial<WebSearchProvider> & { readonly problem?: string } = {},
): WebSearchProvider {
  const { problem, ...rest } = more
  const answer = async <T>(value: T): Promise<T> => {
    if (problem !== undefined) throw new Error(problem)
    return value
  }
  return {
    name,
    label: name,
    missing: () => undefined,
    search: (query) => answer([{ title: `${query} by ${name}`, url: `https://${name}.example/`, snippet: 'found' }]),
    extract: (url) => answer({ url, title: `Read by ${name}`, text: 'the page' }),
    ...rest,
  }
}
