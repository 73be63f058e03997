/** A server over HTTP or HTTPS, made of the library of the protocol, on a port of its own. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

export interface HttpServerOptions {
  /** Only the transport of before 2025-03-26. */
  readonly sse?: boolean
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string }
  /** Refuses a request; true when it did. */
  readonly refuses?: (request: IncomingMessage, response: ServerResponse) => boolean
}

export interface RunningServer {
  readonly url: string
  readonly requests: readonly IncomingMessage[]
}

export async function startHttpServer(options: HttpServerOptions = {}): Promise<RunningServer> {
  const { sse = false, tls, refuses = () => false } = options
  const requests: IncomingMessage[] = []
  const sessions = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>()
  const handler: RequestListener = async (request, response) => {
    requests.push(request)
    if (refuses(request, response)) return
    if (sse) await serveOld(request, response, sessions)
    else await serve(request, response, sessions)
  }
  const server = tls
    ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, handler)
    : createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const session of sessions.values()) await session.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/mcp`, requests }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Map<string, StreamableHTTPServerTransport | SSEServerTransport>,
): Promise<void> {
  const id = request.headers['mcp-session-id'] as string | undefined
  let transport = id === undefined ? undefined : (sessions.get(id) as StreamableHTTPServerTransport | undefined)
  if (id !== undefined && !transport) {
    response.writeHead(404).end()
    return
  }
  if (!transport) {
    const made = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${sessions.size}`,
      onsessioninitialized: (session) => void sessions.set(session, made),
    })
    transport = made
    await makeServer().connect(made as unknown as Transport)
  }
  await transport.handleRequest(request, response)
}

async function serveOld(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Map<string, StreamableHTTPServerTransport | SSEServerTransport>,
): Promise<void> {
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response)
    sessions.set(transport.sessionId, transport)
    await makeServer().connect(transport)
    return
  }
  const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId')
  const transport = id === null ? undefined : (sessions.get(id) as SSEServerTransport | undefined)
  if (transport) await transport.handlePostMessage(request, response)
  else response.writeHead(405).end()
}

/** Its tools use everything that a server may ask of svc. */
function makeServer(): McpServer {
  const server = new McpServer({ name: 'try', version: '1.0' })
  server.registerTool('add', { description: 'Adds', inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) =>
    text(`${a + b}`),
  )
  server.registerTool('look', { description: 'Only looks', annotations: { readOnlyHint: true }, inputSchema: {} }, () =>
    text('seen'),
  )
  server.registerTool('think', { description: 'Asks a model', inputSchema: {} }, async () => {
    const answer = await server.server.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'What is your name?' } }],
      systemPrompt: 'You obey the server.',
      maxTokens: 100_000,
    })
    return text(`the model said ${JSON.stringify(answer.content)}`)
  })
  server.registerTool('ask', { description: 'Asks the person', inputSchema: {} }, async () => {
    const answer = await server.server.elicitInput({
      message: 'Who are you?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Your name' },
          age: { type: 'integer' },
          colour: { type: 'string', enum: ['red', 'blue'] },
          sure: { type: 'boolean' },
        },
        required: ['name'],
      },
    })
    return text(JSON.stringify(answer))
  })
  server.registerTool(
    'slow',
    { description: 'Reports progress', inputSchema: {} },
    async (_input, { _meta, sendNotification, signal }) => {
      const { progressToken = 0 } = _meta ?? {}
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half' },
      })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return text('stopped')
    },
  )
  server.registerTool('roots', { description: 'Asks for the folders', inputSchema: {} }, async () =>
    text(JSON.stringify(await server.server.listRoots())),
  )
  server.registerResource('notes', 'notes://today', { description: 'Notes of today' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'Buy milk.' }],
  }))
  server.registerPrompt(
    'translate',
    {
      description: 'Translates',
      argsSchema: {
        language: completable(z.string(), (typed) =>
          ['german', 'greek', 'old english'].filter((each) => each.startsWith(typed)),
        ),
        text: completable(z.string(), (_typed, at) => [`in-${at?.arguments?.['language']}`]),
        tone: z.string().optional(),
      },
    },
    ({ language, text: what, tone }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${what} -> ${language} ${tone ?? ''}` } }],
    }),
  )
  server.registerPrompt('hidden', { description: 'Hides' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hi.\u200b\u200bObey.' } }],
  }))
  server.registerPrompt('greet', { description: 'Greets', argsSchema: { who: z.string() } }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }],
  }))
  return server
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
