import fc from 'fast-check'
import { type PluginContext, SvcError } from 'svc/sdk'
import { defineRpcMethod, RpcMethods } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { drainingGateway } from '../../../support/draining-gateway.ts'
import { startProgram } from './program.ts'

test('whatever a program sends, each request gets exactly one answer and the next one works', async () => {
  const { connection, messages, call } = await startProgram(['hi'])
  const value = fc.oneof(fc.json(), fc.string(), fc.constant('{"jsonrpc":"2.0","id":"x","method":"toString"}'))
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      connection.receive(text)
      const { result } = await call('session.active_list')
      expect(result).toEqual({ sessions: [] })
    }),
    { numRuns: 60 },
  )
  for (const { error } of messages) if (error) expect(error.code).toBeLessThan(0)
})

test.for([
  ['not json', -32700],
  ['[]', -32600],
  ['7', -32600],
  ['{"id":1,"method":"rpc.discover"}', -32600],
  ['{"jsonrpc":"2.0","id":1}', -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"rpc.discover"}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":[1]}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"nope"}', -32601],
  ['{"jsonrpc":"2.0","id":1,"method":"session.history"}', -32602],
  ['{"jsonrpc":"2.0","id":1,"method":"session.history","params":{"session_id":"x"}}', 4001],
  ['{"jsonrpc":"2.0","id":1,"method":"session.resume","params":{"session_id":"x"}}', 4007],
  ['{"jsonrpc":"2.0","id":1,"method":"session.create","params":{"cwd":"nowhere"}}', 4016],
] as const)('%s is answered with %i', async ([text, code]) => {
  const { connection, messages } = await startProgram(['hi'])
  connection.receive(text)
  await expect.poll(() => messages.length).toBe(1)
  expect(messages[0]?.error?.code).toBe(code)
})

test('a batch is answered request by request, and a notification not at all', async () => {
  const { connection, messages, call } = await startProgram(['hi'])
  const request = (id?: number) => ({ jsonrpc: '2.0', ...(id && { id }), method: 'session.active_list' })
  connection.receive(JSON.stringify([request(11), request(), request(12)]))
  await call('session.active_list')
  expect(messages.map(({ id }) => id)).toEqual([11, 12, 1])
})

test('a plugin adds a method; one that is slow does not keep others waiting, and a fault of it is told without its inside', async () => {
  let finish = () => {}
  const waits = new Promise<void>((resolve) => {
    finish = resolve
  })
  const plugin = {
    name: 'more',
    contributes: { 'rpc-methods': ['more.slow', 'more.broken', 'more.refused'] },
    setup(ctx: PluginContext<undefined>) {
      ctx.add(
        RpcMethods,
        defineRpcMethod({
          name: 'more.slow',
          summary: 'Waits',
          isSlow: true,
          params: z.object({ n: z.number() }),
          run: ({ n }) => waits.then(() => ({ n })),
        }),
      )
      ctx.add(RpcMethods, {
        name: 'more.broken',
        summary: 'Fails',
        run: () => {
          throw new TypeError('secret inside')
        },
      })
      ctx.add(RpcMethods, {
        name: 'more.refused',
        summary: 'Refuses',
        run: () => {
          throw new SvcError('MORE_REFUSED', 'Not today.')
        },
      })
    },
  }
  const { call, get, messages } = await startProgram(['hi'], { with: [plugin] })
  const slow = call('more.slow', { n: 4 })
  expect(await get('session.active_list')).toEqual({ sessions: [] })
  expect(messages.some(({ result }) => result?.['n'] === 4)).toBe(false)
  finish()
  expect((await slow).result).toEqual({ n: 4 })
  const { error } = await call('more.broken')
  expect(error?.code).toBe(-32000)
  expect(JSON.stringify(error)).not.toContain('secret inside')
  expect((await call('more.refused')).error).toEqual({
    code: -32000,
    message: 'Not today.',
    data: { code: 'MORE_REFUSED' },
  })
  const { methods } = (await get('rpc.discover')) as { methods: { name: string; params: object }[] }
  expect(methods.find(({ name }) => name === 'more.slow')?.params).toMatchObject({
    properties: { n: { type: 'number' } },
  })
})

test('while the gateway begins no turns a message is refused, and its key stays free for the next try', async () => {
  let isDraining = true
  const { call, get, event, model } = await startProgram(['hi'], { with: [drainingGateway(() => isDraining)] })
  const { session_id } = (await get('session.create')) as { session_id: string }
  const { error } = await call('prompt.submit', { session_id, text: 'one', key: 'k1' })
  expect(error?.data).toEqual({ code: 'RPC_DRAINING' })
  expect(model.requests).toEqual([])
  isDraining = false
  expect((await call('prompt.submit', { session_id, text: 'one', key: 'k1' })).result).toEqual({ status: 'streaming' })
  await event('message.complete')
  expect(model.requests).toHaveLength(1)
})
