import { Approvals, Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { startProgram } from './program.ts'

test('a program sends a message and is told all that comes of it, in order and with its place in the journal', async () => {
  const { get, event, messages, types, kernel } = await startProgram(
    [
      { text: 'I look.', calls: [{ name: 'todo', input: { todos: [] } }] },
      { pieces: ['All ', 'done.'], usage: { input: 7, output: 3 } },
    ],
    { plugins: ['tool-todo'] },
  )
  const { session_id, session_key } = await get('session.create')
  expect(await get('prompt.submit', { session_id, text: 'hello' })).toEqual({ status: 'streaming' })
  const last = await event('message.complete')
  expect(last).toMatchObject({ text: 'All done.', status: 'complete', usage: { input: 17, output: 8 } })
  const told = types().filter((type) => /^(message|tool)\./.test(type))
  expect(told[0]).toBe('message.start')
  expect(told.indexOf('tool.start')).toBeLessThan(told.indexOf('tool.complete'))
  expect(told.at(-1)).toBe('message.complete')
  const places = messages.flatMap(({ params }) =>
    typeof params?.payload['seq'] === 'number' ? [params.payload['seq']] : [],
  )
  expect(places).toEqual([...places].sort((one, two) => one - two))
  const recorded = await get('session.events', { session_id, after: 0 })
  expect((recorded['events'] as unknown[]).length).toBe(kernel.use(Sessions).open(String(session_key)).events().length)
})

test('pieces of an answer are sent as few events, and no letter is lost', async () => {
  const pieces = Array.from({ length: 500 }, (_, at) => `${at} `)
  const { get, event, messages } = await startProgram([{ pieces }])
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'count' })
  await event('message.complete')
  const deltas = messages.flatMap(({ params }) => (params?.type === 'message.delta' ? [params.payload['text']] : []))
  expect(deltas.join('')).toBe(pieces.join(''))
  expect(deltas.length).toBeLessThan(250)
})

test('a message behind a running turn is queued, and an interruption drops it and says so', async () => {
  const { get, event, model } = await startProgram([{ gate: new Promise(() => {}), text: 'never' }])
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'one' })
  await expect.poll(() => model.requests).toHaveLength(1)
  expect(await get('prompt.submit', { session_id, text: 'two', when_busy: 'queue' })).toEqual({ status: 'queued' })
  expect(await get('session.interrupt', { session_id })).toEqual({ status: 'interrupted' })
  expect(await event('message.complete')).toMatchObject({ status: 'interrupted' })
  await expect.poll(() => get('session.interrupt', { session_id })).toEqual({ status: 'idle' })
  expect(model.requests).toHaveLength(1)
})

test('a failed turn ends with the code and the sentence of its error', async () => {
  const { get, event } = await startProgram([{ failure: { kind: 'auth', message: 'the key is refused' } }])
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'hello' })
  const { status, error } = (await event('message.complete')) as { status: string; error: { code: string } }
  expect(status).toBe('error')
  expect(error.code).toMatch(/^[A-Z_]+$/)
})

test('an approval is asked of the program, and what it answers decides; a second answer is refused', async () => {
  const { get, call, event, kernel } = await startProgram(
    [{ calls: [{ name: 'terminal', input: { command: 'rm -rf build' } }] }, 'done'],
    { plugins: ['approvals', 'command-risk', 'tool-terminal'], config: { terminal: { backend: 'local' } } },
  )
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'clean up' })
  const { request_id, command, choices } = await event('approval.request')
  expect(command).toContain('rm -rf build')
  expect(choices).toContain('deny')
  expect(kernel.use(Approvals).pending()).toHaveLength(1)
  const { sessions } = (await get('session.active_list')) as { sessions: { status: string }[] }
  expect(sessions.map(({ status }) => status)).toEqual(['waiting'])
  expect(await get('approval.respond', { session_id, choice: 'deny' })).toEqual({ resolved: 1 })
  const { error } = await call('approval.respond', { session_id, request_id, choice: 'once' })
  expect(error).toMatchObject({ code: 4009, data: { code: 'RPC_NOT_PENDING' } })
  expect(await event('tool.complete')).toMatchObject({ ok: false, refusal: { kind: 'denied' } })
})

test('a question of the model goes to the program, and its answer to the model', async () => {
  const { get, event, model } = await startProgram(
    [{ calls: [{ name: 'clarify', input: { question: 'Which city?', choices: ['Bern', 'Graz'] } }] }, 'fine'],
    { plugins: ['tool-clarify'] },
  )
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'weather' })
  const { request_id, question, choices } = await event('clarify.request')
  expect([question, choices]).toEqual(['Which city?', ['Bern', 'Graz']])
  await get('clarify.respond', { request_id, answer: 'Graz' })
  await event('message.complete')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Graz')
})

test('what a turn asks after the input has ended is not answered, so it is denied and the turn ends', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { get, event, connection, messages } = await startProgram(
    [{ gate, calls: [{ name: 'terminal', input: { command: 'rm -rf build' } }] }, 'done'],
    { plugins: ['approvals', 'command-risk', 'tool-terminal'], config: { terminal: { backend: 'local' } } },
  )
  const { session_id } = await get('session.create')
  await get('prompt.submit', { session_id, text: 'clean up' })
  await event('message.start')
  const finished = connection.finish()
  open()
  await finished
  const told = messages.flatMap(({ params }) => (params?.type === 'tool.complete' ? [params.payload] : []))
  expect(told).toMatchObject([{ ok: false, refusal: { kind: 'denied' } }])
})
