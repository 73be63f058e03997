import { SvcError } from 'svc/sdk'
import { defineMcpTool, McpClients, type McpExport, McpExports } from 'svc/sdk/mcp'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startClient } from './client.ts'

const empty = z.object({})

const plugin = (...exports: readonly McpExport[]) => ({
  with: [
    {
      name: 'exports',
      contributes: { 'mcp-exports': exports.map(({ name }) => name) },
      setup: (ctx: { add(point: typeof McpExports, item: McpExport): unknown }) => {
        for (const each of exports) ctx.add(McpExports, each)
      },
    },
  ],
})

test('a tool of an export that fails is an error of the call, and only errors for people are told', async () => {
  const fail = (name: string, error: Error) =>
    defineMcpTool({ name, description: 'x', input: empty, run: () => Promise.reject(error) })
  const { call } = await startClient(['x'], {
    kernel: plugin({
      name: 'failing',
      tools: () => [fail('known', new SvcError('X', 'no paper left')), fail('unknown', new Error('/secret/path'))],
    }),
  })
  expect(await call('known')).toMatchObject({ isError: true, text: 'no paper left' })
  const { isError, text } = await call('unknown')
  expect(isError).toBe(true)
  expect(text).not.toContain('secret')
})

test('an export that cannot list costs the others nothing, and what svc has cannot be replaced', async () => {
  const tool = (name: string) => defineMcpTool({ name, description: 'x', input: empty, run: () => 'of the export' })
  const { client, call } = await startClient(['The agent.'], {
    kernel: plugin(
      { name: 'broken', tools: () => Promise.reject(new Error('no')), prompts: () => Promise.reject(new Error('no')) },
      { name: 'honest', tools: () => [tool('chat'), tool('fine'), tool('not a name')] },
    ),
  })
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toContain('fine')
  expect(names).not.toContain('not a name')
  expect((await client.listPrompts()).prompts).toEqual([])
  expect((await call('chat', { message: 'hi' })).text).toBe('The agent.')
})

test('long lists come in pages, across exports, and a foreign cursor is refused', async () => {
  const many = (name: string, count: number): McpExport => ({
    name,
    prompts: () =>
      Array.from({ length: count }, (_, at) => ({ name: `${name}${at}`, description: 'x', messages: () => [] })),
    resources: {
      list: (_client, { offset, limit }) =>
        Array.from({ length: count }, (_, at) => ({ uri: `${name}://${at}`, name: `${at}` })).slice(
          offset,
          offset + limit,
        ),
      read: () => undefined,
    },
  })
  const { client } = await startClient(['x'], { kernel: plugin(many('a', 230), many('b', 100)) })
  const uris: string[] = []
  for (let cursor: string | undefined, pages = 1; ; pages++) {
    const page = await client.listResources(cursor === undefined ? {} : { cursor })
    uris.push(...page.resources.map(({ uri }) => uri))
    cursor = page.nextCursor
    if (cursor !== undefined) continue
    expect(pages).toBe(4)
    break
  }
  expect(uris).toEqual([
    ...Array.from({ length: 230 }, (_, at) => `a://${at}`),
    ...Array.from({ length: 100 }, (_, at) => `b://${at}`),
  ])
  const first = await client.listPrompts()
  expect(first.prompts).toHaveLength(100)
  expect((await client.listPrompts({ cursor: first.nextCursor ?? '' })).prompts).toHaveLength(100)
  await expect(client.listPrompts({ cursor: 'x' })).rejects.toMatchObject({ code: -32602 })
  await expect(client.listResources({ cursor: 'nobody:5' })).rejects.toMatchObject({ code: -32602 })
  await expect(client.listResources({ cursor: 'x' })).rejects.toMatchObject({ code: -32602 })
})

test('a prompt without a required argument, one that is not there and one that fails are errors that say so', async () => {
  const { client } = await startClient(['x'], {
    kernel: plugin({
      name: 'prompts',
      prompts: () => [
        { name: 'ask', description: 'x', arguments: [{ name: 'city', required: true }], messages: () => [] },
        { name: 'fail', description: 'x', messages: () => Promise.reject(new SvcError('X', 'no ink')) },
      ],
    }),
  })
  await expect(client.getPrompt({ name: 'ask' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('city'),
  })
  await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })
  await expect(client.getPrompt({ name: 'fail' })).rejects.toMatchObject({ message: expect.stringContaining('no ink') })
})

test('a plugin sees who is connected, and a client that hangs up is not told of changes any more', async () => {
  const { kernel, raw, hangUp, ended } = await startClient(['x'])
  expect(kernel.use(McpClients).list()).toMatchObject([{ name: 'test', version: '1', cwd: kernel.home }])
  kernel.use(McpClients).changed('tools')
  await expect.poll(() => raw.at(-1)).toMatchObject({ method: 'notifications/tools/list_changed' })
  await hangUp()
  await ended
  expect(kernel.use(McpClients).list()).toEqual([])
})
