/** An editor, made of the client half of the protocol's SDK, that talks with a real kernel without a process in between. */
import {
  type AnyMessage,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type McpServer,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { CliCommands, type CliContext } from 'svc/sdk'
import { splitLines } from 'svc/sdk/kit/net'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'

const PLUGINS = ['acp', 'agent', 'conversation', 'sessions', 'session-commands', 'people', 'config']

/** What the user of the editor does when asked: the id of an option; undefined leaves the request open. */
type Permit = (request: RequestPermissionRequest) => string | 'cancelled' | undefined

export interface EditorOptions {
  readonly permit?: Permit
  readonly fillIn?: (request: CreateElicitationRequest) => CreateElicitationResponse
  readonly capabilities?: object
  readonly kernel?: Parameters<typeof testKernel>[0]
}

export async function startEditor(
  replies: readonly ScriptedReply[] | Parameters<typeof fakeProvider>[0],
  options: EditorOptions = {},
) {
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    ...options.kernel,
    plugins: [...PLUGINS, ...(options.kernel?.plugins ?? [])],
    with: [model.plugin, ...(options.kernel?.with ?? [])],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...options.kernel?.config },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, model, ...(await connect(kernel, options)) }
}

/** One more connection to the same kernel. */
export async function connect(kernel: Awaited<ReturnType<typeof testKernel>>, options: EditorOptions = {}) {
  const input = new TransformStream<Uint8Array, Uint8Array>(
    undefined,
    undefined,
    new CountQueuingStrategy({ highWaterMark: 1000 }),
  )
  const output = new TransformStream<Uint8Array, Uint8Array>(
    undefined,
    new CountQueuingStrategy({ highWaterMark: 10_000 }),
  )
  const encoder = new TextEncoder()
  const writer = output.writable.getWriter()
  const raw: AnyMessage[] = []
  const stop = new AbortController()
  const io = {
    out: (text: string) => {
      raw.push(JSON.parse(text) as AnyMessage)
      void writer.write(encoder.encode(text)).catch(() => {})
    },
    drained: async () => {},
    err: () => {},
    lines: (maxBytes: number) => splitLines(input.readable as AsyncIterable<Uint8Array>, { maxBytes, keepsRest: true }),
    cwd: kernel.home,
    signal: stop.signal,
  } as unknown as CliContext
  const command = kernel.all(CliCommands).get('acp')
  const ended = Promise.resolve(command?.run?.({ args: [], options: {} }, io))
  const toAgent = input.writable.getWriter()
  const updates: SessionUpdate[] = []
  const permissions: RequestPermissionRequest[] = []
  const forms: CreateElicitationRequest[] = []
  const app = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      permissions.push(params)
      const optionId = options.permit?.(params)
      if (optionId === 'cancelled') return { outcome: { outcome: 'cancelled' } }
      if (optionId !== undefined) return { outcome: { outcome: 'selected', optionId } }
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }))
      })
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push(params)
      return options.fillIn?.(params) ?? { action: 'cancel' }
    })
  const send = new WritableStream<Uint8Array>({ write: (bytes) => toAgent.write(bytes) })
  const connection = app.connect(ndJsonStream(send, output.readable))
  onTestFinished(() => connection.close())
  const { agent } = connection
  const clientCapabilities = (options.capabilities ?? {}) as never
  const initialized = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities })
  return {
    agent,
    initialized,
    updates,
    permissions,
    forms,
    /** All that was written to the editor. */
    raw,
    ended,
    /** A line as it is. */
    write: (text: string) => toAgent.write(encoder.encode(text)),
    hangUp: () => toAgent.close(),
    stop: () => stop.abort(),
    begin: (cwd: string = kernel.home, mcpServers: readonly McpServer[] = []) => begin(agent, cwd, mcpServers),
    prompt: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    /** The updates of one kind, once there is one. */
    async of<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind) {
      await expect.poll(() => updates.some(({ sessionUpdate }) => sessionUpdate === kind)).toBe(true)
      return updates.filter(
        (each): each is Extract<SessionUpdate, { sessionUpdate: Kind }> => each.sessionUpdate === kind,
      )
    },
    /** The text of the chunks of one kind. */
    text: (kind: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk') =>
      updates
        .flatMap((each) => (each.sessionUpdate === kind && each.content.type === 'text' ? [each.content.text] : []))
        .join(''),
  }
}

function begin(agent: ClientContext, cwd: string, mcpServers: readonly McpServer[]): Promise<NewSessionResponse> {
  return agent.request(methods.agent.session.new, { cwd, mcpServers: [...mcpServers] })
}
