/** A site on loopback, and the browser tools on a real Chromium with a guard that allows loopback. */
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import {
  type AuxiliaryModels,
  AuxiliaryModels as Models,
  SvcError,
  type ToolContext,
  type ToolResult,
  Tools,
} from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { SafeFetch } from 'svc/sdk/web'

const path = process.env['PATH'] ?? ''
const hasBrowser = path.split(delimiter).some((folder) => existsSync(join(folder, 'chromium')))
/** Why tests are skipped, for the name of the group. */
export const SKIPPED = hasBrowser ? '' : ' (skipped: no chromium on the PATH)'
export const hasNoBrowser = !hasBrowser

type Page = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** A web server. `127.0.0.1` and `localhost` are two sites of it. */
export interface Site extends AsyncDisposable {
  readonly url: string
  /** The same server by another name: another site, so its own process for its frames. */
  readonly other: string
  /** Hosts and paths that were asked for. */
  readonly hits: readonly string[]
}

export async function openSite(pages: Readonly<Record<string, Page>>): Promise<Site> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    hits.push(`${request.headers.host?.split(':')[0]}${pathname}`)
    const page = pages[pathname]
    if (typeof page === 'function') return page(request, response)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('access-control-allow-origin', '*')
    response.statusCode = page === undefined ? 404 : 200
    const { port } = server.address() as AddressInfo
    response.end(
      (page ?? '<title>Nothing here</title>')
        .replaceAll('OTHER', `http://localhost:${port}`)
        .replaceAll('FORBIDDEN', `http://forbidden.localhost:${port}`),
    )
  })
  server.on('upgrade', (_, socket) => {
    hits.push('a socket')
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    hits,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Tried {
  readonly text: string
  readonly failed: boolean
  readonly result: ToolResult | undefined
}

/** The tools of one session. */
export interface Visitor {
  readonly kernel: TestKernel
  /** Calls a tool by its name without `browser_`; an error becomes its text with the code in front. */
  use(tool: string, input?: object, signal?: AbortSignal): Promise<Tried>
  /** The ref of the first line of a snapshot that matches. */
  ref(text: string, line: RegExp): string
  /** The same tools in another session. */
  as(sessionId: string): Visitor
}

/** Addresses with `forbidden` in them, and what the guard has been asked. */
export function loopbackGuard(asked: string[] = []) {
  return {
    name: 'fake-guard',
    provides: ['url-guard'],
    setup(ctx: { provide: (token: typeof SafeFetch, make: () => SafeFetch) => unknown }) {
      ctx.provide(SafeFetch, () => ({
        check: async (url) => {
          asked.push(url)
          if (url.includes('forbidden')) throw new SvcError('URL_FORBIDDEN', 'private addresses are not opened')
        },
        request: () => Promise.reject(new Error('not used here')),
        secretIn: () => undefined,
      }))
    },
  }
}

export async function openKernel(
  options: { readonly config?: object; readonly models?: AuxiliaryModels; readonly asked?: string[] } = {},
): Promise<TestKernel> {
  const { models } = options
  const fakeModels = {
    name: 'fake-models',
    provides: ['auxiliary-models'],
    setup(ctx: { provide: (token: typeof Models, make: () => AuxiliaryModels) => unknown }) {
      if (models) ctx.provide(Models, () => models)
    },
  }
  return testKernel({
    plugins: ['tool-browser', ...(models ? ['fake-models'] : [])],
    with: [loopbackGuard(options.asked), ...(models ? [fakeModels] : [])],
    config: { browser: options.config ?? {} },
    env: { PATH: path },
  } as Parameters<typeof testKernel>[0])
}

export function visitor(kernel: TestKernel, sessionId = 's'): Visitor {
  return {
    kernel,
    async use(name, input = {}, signal = new AbortController().signal) {
      const tool = kernel.all(Tools).get(`browser_${name}`)
      if (!tool) throw new Error(`there is no tool browser_${name}: ${JSON.stringify(kernel.problems())}`)
      const silent = { progress: () => undefined, emit: () => undefined }
      const turn = {
        sessionId,
        turnId: 't',
        callId: 'c',
        cwd: '/',
        signal,
        key: 'k',
        ...silent,
      } as unknown as ToolContext
      try {
        const result = (await tool.run(input, turn)) as ToolResult
        return { text: result.text, failed: false, result }
      } catch (error) {
        const { code, message } = error as SvcError
        return { text: `${code}: ${message}`, failed: true, result: undefined }
      }
    },
    ref(text, line) {
      const found = text.split('\n').find((each) => line.test(each))
      const [ref] = /@e\d+/.exec(found ?? '') ?? []
      if (!ref) throw new Error(`no ref in a line like ${line}:\n${text}`)
      return ref
    },
    as: (other) => visitor(kernel, other),
  }
}
