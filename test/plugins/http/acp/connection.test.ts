import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { startEditor } from './editor.ts'

test('bad lines are answered one by one, and the connection goes on', async () => {
  const { write, raw, begin } = await startEditor(['x'])
  await write('this is not json\n\n[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n42\n{"jsonrpc":"2.0"}\n')
  await write(`{"jsonrpc":"2.0","id":8,"method":"session/new","params":{"cwd":"${'x'.repeat(33 * 2 ** 20)}"}}\n`)
  await expect.poll(() => raw.length).toBe(6)
  expect(raw.slice(1).map((message) => ('error' in message ? message.error.code : 0))).toEqual([
    -32700, -32600, -32600, -32600, -32600,
  ])
  expect((await begin()).sessionId).toBeTruthy()
})

test('unknown methods and bad params are errors with the numbers of JSON-RPC', async () => {
  const { agent, begin } = await startEditor(['x'])
  await expect(agent.request('session/fly', {})).rejects.toMatchObject({ code: -32601 })
  await expect(agent.request('session/new', { cwd: 3 } as never)).rejects.toMatchObject({ code: -32602 })
  for (const cwd of ['relative', '/no/such/folder'])
    await expect(begin(cwd)).rejects.toMatchObject({ code: -32602, data: { code: 'ACP_FOLDER' } })
  const unknown = { sessionId: 'nope', cwd: '/', mcpServers: [] }
  await expect(agent.request('session/load', unknown)).rejects.toMatchObject({ code: -32002 })
})

test('an editor that is gone stops its turn, and what was said is kept', async () => {
  const { kernel, begin, prompt, hangUp, ended, model } = await startEditor([
    { gate: new Promise(() => {}), text: 'never' },
  ])
  const { sessionId } = await begin()
  prompt(sessionId, 'go').catch(() => {})
  await expect.poll(() => model.requests.length).toBe(1)
  await hangUp()
  expect(await ended).toBe(0)
  const session = kernel.use(Sessions).open(sessionId)
  expect(session.messages()[0]).toMatchObject({ role: 'user', text: 'go' })
  expect(session.events().at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
})

test('svc that is told to stop closes the connection in the same way', async () => {
  const { begin, prompt, stop, ended, model } = await startEditor([{ gate: new Promise(() => {}), text: 'never' }])
  const { sessionId } = await begin()
  prompt(sessionId, 'go').catch(() => {})
  await expect.poll(() => model.requests.length).toBe(1)
  stop()
  expect(await ended).toBe(0)
})

test('there is a bound on open sessions', async () => {
  const { begin } = await startEditor(['x'])
  for (let at = 0; at < 64; at++) await begin()
  await expect(begin()).rejects.toMatchObject({ data: { code: 'ACP_SESSION_LIMIT' } })
})
