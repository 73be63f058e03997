import { type PluginContext, Sessions, TurnEnded } from 'svc/sdk'
import { expect, test } from 'vitest'
import { startProgram } from './program.ts'

test('a program resumes what it closed, branches it, names it and removes it', async () => {
  const { get, call, event, kernel, messages } = await startProgram(['first', 'second'])
  const { session_id, session_key } = await get('session.create', { title: 'Plans' })
  await get('prompt.submit', { session_id, text: 'hello' })
  await event('message.complete')
  expect(await get('session.history', { session_id })).toMatchObject({
    count: 2,
    messages: [
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: 'first' },
    ],
  })
  await get('session.close', { session_id })
  expect((await call('session.history', { session_id })).error?.code).toBe(4001)
  const again = await get('session.resume', { session_id: session_key })
  expect(again).toMatchObject({ message_count: 2, session_key })
  expect((await get('session.resume', { session_id: session_key }))['session_id']).toBe(again['session_id'])
  const branch = await get('session.branch', { session_id: again['session_id'], name: 'Other plans' })
  expect(branch).toMatchObject({ parent: session_key, message_count: 2 })
  const from = messages.length
  await get('prompt.submit', { session_id: branch['session_id'], text: 'more' })
  await event('message.complete', from)
  expect(kernel.use(Sessions).open(String(session_key)).messages()).toHaveLength(2)
  const { sessions } = (await get('session.list')) as { sessions: { id: string; title: string }[] }
  expect(sessions.map(({ title }) => title).sort()).toEqual(['Other plans', 'Plans'])
  expect((await call('session.delete', { session_id: session_key })).error?.code).toBe(4023)
  await get('session.close', { session_id: again['session_id'] })
  expect(await get('session.delete', { session_id: session_key })).toEqual({ deleted: true })
})

test('settings of a session hold for it alone, and are refused when they mean nothing', async () => {
  const { get, call, event, model } = await startProgram(['a', 'b'])
  const { session_id } = await get('session.create', { model: 'fake-2' })
  await get('prompt.submit', { session_id, text: 'one' })
  await event('message.complete')
  await get('config.set', { session_id, key: 'model', value: 'fake-3' })
  await get('prompt.submit', { session_id, text: 'two' })
  await expect.poll(() => model.requests.map(({ model: name }) => name)).toEqual(['fake-2', 'fake-3'])
  expect((await call('config.set', { session_id, key: 'colour', value: 'red' })).error).toMatchObject({ code: 4002 })
})

test('a key of config.yaml is read and written, and a secret is never shown', async () => {
  const { get, call } = await startProgram(['a'])
  expect(await get('config.set', { key: 'agent.max_result_chars', value: 7000 })).toMatchObject({
    key: 'agent.max_result_chars',
  })
  expect(await get('config.get', { key: 'agent.max_result_chars' })).toMatchObject({ value: 7000 })
  await get('config.set', { key: 'OPENAI_API_KEY', value: 'sk-0123456789abcdefghij' })
  expect(JSON.stringify(await get('config.get', { key: 'OPENAI_API_KEY' }))).not.toContain('0123456789')
  expect((await call('config.set', { key: 'agent.max_result_chars', value: 'many' })).error?.data).toEqual({
    code: 'CONFIG_INVALID',
  })
})

test('a slash command says its words as the result, and an unknown one names the nearest', async () => {
  const { get, call, event } = await startProgram(['first'])
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'hello' })
  await event('message.complete')
  const { output } = await get('slash.exec', { session_id, command: 'undo now' })
  expect(output).toContain('hello')
  expect(await get('session.history', { session_id })).toMatchObject({ count: 0 })
  expect((await call('slash.exec', { session_id, command: 'undoo' })).error).toMatchObject({ code: 4011 })
})

test('a command right after the last event of a turn waits for the listeners of its end instead of being refused', async () => {
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  const slow = { name: 'slow', setup: (ctx: PluginContext<undefined>) => void ctx.on(TurnEnded, () => over) }
  const { get, event, connection, messages } = await startProgram(['first'], { with: [slow] })
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'hello' })
  await event('message.complete')
  const request = { jsonrpc: '2.0', id: 'x', method: 'slash.exec', params: { session_id, command: 'undo now' } }
  connection.receive(JSON.stringify(request))
  await get('rpc.discover')
  expect(messages.find(({ id }) => id === 'x')).toBeUndefined()
  end()
  await expect.poll(() => messages.find(({ id }) => id === 'x')).toBeDefined()
  expect(messages.find(({ id }) => id === 'x')?.result?.['output']).toContain('hello')
  expect(await get('session.history', { session_id })).toMatchObject({ count: 0 })
})

test('when the program is gone its turns are stopped, and nothing more is sent', async () => {
  const { get, event, connection, messages, kernel } = await startProgram([{ gate: new Promise(() => {}), text: 'x' }])
  const { session_id, session_key } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'hello' })
  await event('message.start')
  await connection.close()
  const sent = messages.length
  const events = kernel.use(Sessions).open(String(session_key)).events()
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
  expect(messages).toHaveLength(sent)
})

test('a command that waits for an answer when the input ends gets none, and the program ends', async () => {
  const { get, connection, messages } = await startProgram(['first'])
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'hello' })
  await expect.poll(() => messages.some(({ params }) => params?.type === 'message.complete')).toBe(true)
  const request = { jsonrpc: '2.0', id: 'x', method: 'slash.exec', params: { session_id, command: 'undo' } }
  connection.receive(JSON.stringify(request))
  await expect.poll(() => messages.some(({ params }) => params?.type === 'clarify.request')).toBe(true)
  await connection.finish()
  expect(messages.find(({ id }) => id === 'x')?.result).toBeDefined()
  expect(await get('session.history', { session_id })).toMatchObject({ count: 2 })
})
