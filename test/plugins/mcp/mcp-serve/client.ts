/** An MCP client of the protocol's own SDK that talks with a real kernel over lines, without a process in between. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { CliCommands, type CliContext, defineTool, type Tool } from 'svc/sdk'
import { splitLines } from 'svc/sdk/kit/net'
import { fakeProvider, type ScriptedReply, type TestKernel, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { toolPlugin } from '../../../support/scene.ts'

const PLUGINS = ['mcp-serve', 'agent', 'conversation', 'sessions', 'people']

export interface ClientOptions {
  readonly kernel?: NonNullable<Parameters<typeof testKernel>[0]>
  /** The forms of the client; left out: it has none. */
  readonly fillIn?: (request: ElicitRequest) => ElicitResult | Promise<ElicitResult>
}

export async function openKernel(
  replies: readonly ScriptedReply[] | Parameters<typeof fakeProvider>[0],
  options: NonNullable<Parameters<typeof testKernel>[0]> = {},
) {
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    ...options,
    plugins: [...PLUGINS, ...(options.plugins ?? [])],
    with: [model.plugin, ...(options.with ?? [])],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...options.config },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, model }
}

export async function startClient(
  replies: readonly ScriptedReply[] | Parameters<typeof fakeProvider>[0],
  options: ClientOptions = {},
) {
  const { kernel, model } = await openKernel(replies, options.kernel)
  const { line, raw, ...lines } = serve(kernel)
  const client = createClient(options.fillIn)
  const transport: Transport = {
    start: async () => {},
    send: async (message) => line(JSON.stringify(message)),
    close: async () => {},
  }
  lines.onMessage((message) => transport.onmessage?.(message))
  await client.connect(transport)
  const call = async (name: string, input: object = {}) => {
    const {
      content,
      isError = false,
      structuredContent = {},
    } = await client.callTool({ name, arguments: { ...input } })
    return {
      isError,
      content: content as { readonly type: string; readonly text?: string }[],
      text: (content as { readonly text?: string }[]).map(({ text = '' }) => text).join('\n'),
      data: structuredContent as Record<string, unknown>,
    }
  }
  return { kernel, model, client, call, line, raw, ...lines }
}

export function createClient(fillIn?: ClientOptions['fillIn']): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: fillIn ? { elicitation: { form: {} } } : {} },
  )
  if (fillIn) client.setRequestHandler(ElicitRequestSchema, (request) => fillIn(request))
  return client
}

/** Runs the command in the kernel, with lines instead of pipes. */
function serve(kernel: TestKernel) {
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, new CountQueuingStrategy({ highWaterMark: 100 }))
  const writer = input.writable.getWriter()
  const raw: JSONRPCMessage[] = []
  const stop = new AbortController()
  let listener: (message: JSONRPCMessage) => void = () => {}
  const io = {
    out: (text: string) => {
      const message = JSON.parse(text) as JSONRPCMessage
      raw.push(message)
      if (!('id' in message) || (message.id as unknown) !== null) listener(message)
    },
    drained: async () => {},
    err: () => {},
    lines: (maxBytes: number) => splitLines(input.readable as AsyncIterable<Uint8Array>, { maxBytes, keepsRest: true }),
    cwd: kernel.home,
    signal: stop.signal,
  } as unknown as CliContext
  const command = kernel.all(CliCommands).get('mcp serve')
  const ended = Promise.resolve(command?.run?.({ args: [], options: {} }, io))
  return {
    raw,
    ended,
    line: (text: string) => writer.write(new TextEncoder().encode(`${text}\n`)),
    hangUp: () => writer.close(),
    stop: () => stop.abort(),
    onMessage: (next: typeof listener) => {
      listener = next
    },
  }
}

/** Tools of svc to be served. */
export const served = (...tools: readonly Tool[]) => ({
  with: [toolPlugin(...tools)],
  config: { mcp_serve: { tools: tools.map(({ name }) => name) } },
})

export const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'pure',
  reach: 'nothing',
  run: ({ text }) => `You said: ${text}`,
})
