/** A program that speaks JSON-RPC with a real kernel, without a process in between. */

import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { Rpc } from 'svc/sdk/web'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'

export interface Message {
  readonly id?: number | string | null
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
  readonly params?: { readonly type: string; readonly session_id: string; readonly payload: Record<string, unknown> }
}

/** Plugins that a conversation of a program needs. */
const PLUGINS = ['rpc', 'agent', 'conversation', 'sessions', 'session-commands', 'compression', 'config']

/** What each method says that it answers, as `rpc.discover` describes it. */
export async function readResultSchemas(rpc: Rpc): Promise<ReadonlyMap<string, z.ZodType>> {
  const { methods } = await new Promise<z.infer<typeof discovered>>((resolve) => {
    const other = rpc.connect({ cwd: '/', send: (text) => resolve(discovered.parse(JSON.parse(text).result)) })
    other.receive('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}')
  })
  return new Map(methods.map(({ name, result }) => [name, z.fromJSONSchema(result as never)]))
}

const discovered = z.object({
  methods: z.array(z.object({ name: z.string(), params: z.looseObject({}), result: z.looseObject({}) })),
})

export async function startProgram(
  replies: readonly ScriptedReply[] | Parameters<typeof fakeProvider>[0],
  options: Parameters<typeof testKernel>[0] = {},
) {
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    ...options,
    plugins: [...PLUGINS, ...(options.plugins ?? [])],
    with: [model.plugin, ...(options.with ?? [])],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...options.config },
  })
  onTestFinished(() => kernel.stop())
  const messages: Message[] = []
  const connection = kernel.use(Rpc).connect({
    cwd: kernel.home,
    send: (text) => {
      expect(text).not.toContain('\n')
      messages.push(JSON.parse(text) as Message)
    },
  })
  const schemas = readResultSchemas(kernel.use(Rpc))
  let count = 0
  const find = async (fits: (message: Message) => boolean): Promise<Message> => {
    await expect.poll(() => messages.some(fits)).toBe(true)
    return messages.find(fits) as Message
  }
  /** Calls a method and waits for its answer. */
  const call = async (method: string, params: object = {}): Promise<Message> => {
    const id = ++count
    connection.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const answer = await find((message) => message.id === id)
    if (answer.result) (await schemas).get(method)?.parse(answer.result)
    return answer
  }
  return {
    kernel,
    model,
    connection,
    messages,
    call,
    /** The result of a method that must not fail. */
    async get(method: string, params: object = {}): Promise<Record<string, unknown>> {
      const { result, error } = await call(method, params)
      expect(error).toBeUndefined()
      return result ?? {}
    },
    /** The payload of the first event of a type, from the `after`th message on. */
    async event(type: string, after = 0): Promise<Record<string, unknown>> {
      const found = await find((message) => message.params?.type === type && messages.indexOf(message) >= after)
      return found.params?.payload ?? {}
    },
    types: () => messages.flatMap(({ params }) => (params ? [params.type] : [])),
  }
}
