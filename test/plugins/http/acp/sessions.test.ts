import { Approvals, Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { connect, startEditor } from './editor.ts'

test('a stored session is loaded with all that was said and done, and goes on', async () => {
  const { kernel, begin, prompt } = await startEditor(
    [{ text: 'I plan.', calls: [{ name: 'todo', input: { todos: [] } }] }, 'Done.', 'Again.'],
    { kernel: { plugins: ['tool-todo'] } },
  )
  const { sessionId } = await begin()
  await prompt(sessionId, 'hello there')
  const later = await connect(kernel)
  await later.agent.request('session/load', { sessionId, cwd: kernel.home, mcpServers: [] })
  expect(later.text('user_message_chunk')).toBe('hello there')
  expect(later.text()).toBe('I plan.Done.')
  const kinds = later.updates.map(({ sessionUpdate }) => sessionUpdate)
  expect(kinds.indexOf('tool_call')).toBeLessThan(kinds.indexOf('tool_call_update'))
  const [call] = await later.of('tool_call')
  expect((await later.of('tool_call_update'))[0]).toMatchObject({ toolCallId: call?.toolCallId, status: 'completed' })
})

test('sessions are listed by folder in pages, without those in which nothing was said', async () => {
  const { kernel, agent, begin } = await startEditor(['x'])
  for (let at = 0; at < 60; at++) kernel.use(Sessions).create({ cwd: '/elsewhere', title: `No. ${at}` })
  await begin()
  const first = await agent.request('session/list', { cwd: '/elsewhere' })
  expect(first.sessions).toHaveLength(50)
  expect(first.sessions[0]).toMatchObject({ cwd: '/elsewhere', title: expect.stringMatching(/^No\. /) })
  const second = await agent.request('session/list', { cwd: '/elsewhere', cursor: first.nextCursor ?? null })
  expect(second.sessions).toHaveLength(10)
  expect(second.nextCursor).toBeUndefined()
  await expect(agent.request('session/list', { cursor: 'x' })).rejects.toMatchObject({ data: { code: 'ACP_CURSOR' } })
})

test('a closed session takes no prompt, and one in which nothing was said is gone', async () => {
  const { kernel, agent, begin, prompt } = await startEditor(['x'])
  const { sessionId } = await begin()
  await agent.request('session/close', { sessionId })
  await expect(prompt(sessionId, 'hello')).rejects.toMatchObject({
    code: -32002,
    data: { code: 'ACP_SESSION_UNKNOWN' },
  })
  expect(() => kernel.use(Sessions).open(sessionId)).toThrow(/SESSION|no session|not/i)
})

test('a deleted session is closed and removed', async () => {
  const { kernel, agent, begin, prompt } = await startEditor(['x'])
  const { sessionId } = await begin()
  await prompt(sessionId, 'hello')
  await agent.request('session/delete', { sessionId })
  expect(kernel.use(Sessions).list()).toEqual([])
})

test('the mode of a session switches its questions off and on, also by the slash command', async () => {
  const { kernel, agent, begin, prompt, of } = await startEditor(['x'], { kernel: { plugins: ['approvals'] } })
  const { sessionId, modes, configOptions } = await begin()
  expect(modes?.currentModeId).toBe('ask')
  expect(configOptions?.map(({ category }) => category)).toEqual(['mode', 'model', 'thought_level'])
  await agent.request('session/set_mode', { sessionId, modeId: 'unasked' })
  expect(kernel.use(Approvals).asksNothing(sessionId)).toBe(true)
  await prompt(sessionId, '/yolo')
  expect(kernel.use(Approvals).asksNothing(sessionId)).toBe(false)
  expect((await of('current_mode_update')).at(-1)).toMatchObject({ currentModeId: 'ask' })
  await expect(agent.request('session/set_mode', { sessionId, modeId: 'x' })).rejects.toMatchObject({ code: -32602 })
})

test('the models of the provider are told when it has listed them, and one of them can be chosen', async () => {
  const { agent, begin, prompt, of, model } = await startEditor(['x'])
  const { sessionId } = await begin()
  await prompt(sessionId, 'hello')
  const choose = (configId: string, value: string) =>
    agent.request('session/set_config_option', { sessionId, configId, value })
  const { configOptions } = await choose('reasoning', 'high')
  expect(configOptions.find(({ id }) => id === 'reasoning')).toMatchObject({ currentValue: 'high' })
  await prompt(sessionId, 'hello')
  expect(model.requests.at(-1)).toMatchObject({ reasoning: 'high' })
  await choose('model', 'fake-1')
  await expect(choose('model', 'not-listed')).rejects.toMatchObject({ data: { code: 'ACP_SETTING' } })
  await of('available_commands_update')
})

test('slash commands are offered behind the response, run, and answer; other texts with a slash are messages', async () => {
  const { raw, begin, prompt, of, text, model } = await startEditor(['A path.'], { kernel: { plugins: ['about'] } })
  const { sessionId } = await begin()
  const [{ availableCommands } = { availableCommands: [] }] = await of('available_commands_update')
  expect(availableCommands.map(({ name }) => name)).toContain('version')
  const response = raw.findIndex((message) => JSON.stringify(message).includes('"result":{"sessionId"'))
  expect(response).toBeGreaterThan(0)
  const told = raw.findIndex((message) => JSON.stringify(message).includes('available_commands_update'))
  expect(response).toBeLessThan(told)
  expect(await prompt(sessionId, '/version')).toEqual({ stopReason: 'end_turn' })
  expect(text()).toContain(`Node ${process.version}`)
  expect(model.requests).toHaveLength(0)
  await prompt(sessionId, '/etc/hosts is broken')
  expect(model.requests).toHaveLength(1)
})

test('a slash command does not take the session away from its id', async () => {
  const { kernel, begin, prompt, text } = await startEditor(['x'], { permit: () => 'yes' })
  const { sessionId } = await begin()
  await prompt(sessionId, 'hello')
  await prompt(sessionId, '/new')
  expect(text()).toContain('the editor opens other sessions itself')
  await prompt(sessionId, 'hello')
  expect(kernel.use(Sessions).open(sessionId).messages()).toHaveLength(4)
})
