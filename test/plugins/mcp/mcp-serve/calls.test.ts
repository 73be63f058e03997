import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, Sessions } from 'svc/sdk'
import { Skills } from 'svc/sdk/skills'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { writeFiles } from '../../../support/temporary.ts'
import { echo, served, startClient } from './client.ts'

const guarded = { plugins: ['approvals', 'command-risk'] }

test('a client gives the agent a message, gets its answer, and continues the conversation', async () => {
  const { call, model, kernel } = await startClient(['It is fine.', 'Still fine.'])
  const first = await call('chat', { message: 'how is it?' })
  expect(first).toMatchObject({
    isError: false,
    text: 'It is fine.',
    data: { text: 'It is fine.', ended: 'completed' },
  })
  const { session_id } = first.data
  expect(await call('chat', { message: 'and now?', session_id })).toMatchObject({
    text: 'Still fine.',
    data: { session_id },
  })
  expect(
    model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === 'user')
      .map(({ text }) => text),
  ).toEqual(['how is it?', 'and now?'])
  expect(kernel.use(Sessions).list()).toMatchObject([{ id: session_id, surface: 'mcp', messageCount: 4 }])
})

test('no tool of svc is served unless it is named in the configuration', async () => {
  const { client } = await startClient(['x'], { kernel: { plugins: ['tool-files', 'tool-todo'] } })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['chat', 'list_sessions', 'read_session', 'list_skills', 'read_skill'])
  await expect(client.callTool({ name: 'read_file', arguments: { path: 'x' } })).rejects.toMatchObject({ code: -32602 })
})

test('a chosen tool runs with its arguments, calls no model, and leaves no session', async () => {
  const { client, call, model, kernel } = await startClient(['x'], { kernel: served(echo) })
  const tool = (await client.listTools()).tools.find(({ name }) => name === 'echo')
  expect(tool).toMatchObject({
    description: 'Says it again.',
    inputSchema: { required: ['text'] },
    annotations: { readOnlyHint: true },
  })
  expect(await call('echo', { text: 'hello' })).toMatchObject({ isError: false, text: 'You said: hello' })
  expect(await call('echo', {})).toMatchObject({ isError: true })
  expect(model.requests).toEqual([])
  expect(kernel.use(Sessions).list()).toEqual([])
})

test('a picture of a tool is a picture for the client, and an error of it an error', async () => {
  const draw = defineTool({
    name: 'draw',
    description: 'Draws.',
    input: z.object({}),
    effect: 'pure',
    reach: 'nothing',
    run: () => ({ text: 'A dot.', images: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }] }),
  })
  const fail = defineTool({ ...echo, name: 'fail', run: () => Promise.reject(new Error('no paper')) })
  const { call } = await startClient(['x'], { kernel: served(draw, fail) })
  expect((await call('draw')).content).toEqual([
    { type: 'text', text: 'A dot.' },
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  ])
  expect(await call('fail', { text: 'x' })).toMatchObject({ isError: true, text: expect.stringContaining('no paper') })
})

const erase = (done: () => void) =>
  defineTool({
    name: 'erase',
    description: 'Erases.',
    input: z.object({}),
    acts: () => ({ command: 'git reset --hard', ask: { reason: 'erases all' } }),
    reach: 'machine',
    run: () => {
      done()
      return 'Erased.'
    },
  })

test('a tool that needs approval is asked about by a form, and only what was allowed runs', async () => {
  let times = 0
  const answers = ['deny', 'once']
  const { call } = await startClient(['x'], {
    kernel: { ...guarded, ...served(erase(() => times++)) },
    fillIn: ({ params }) => {
      expect(params.message).toContain('git reset --hard')
      return { action: 'accept', content: { answer: answers.shift() ?? 'deny' } }
    },
  })
  expect(await call('erase')).toMatchObject({ isError: true })
  expect(times).toBe(0)
  expect(await call('erase')).toMatchObject({ isError: false, text: 'Erased.' })
  expect(times).toBe(1)
})

test('a client without forms, and one whose person declines, allows nothing', async () => {
  let times = 0
  const kernel = { ...guarded, ...served(erase(() => times++)) }
  const plain = await startClient(['x'], { kernel })
  expect(await plain.call('erase')).toMatchObject({ isError: true })
  const declined = await startClient(['x'], { kernel, fillIn: () => ({ action: 'decline' }) })
  expect(await declined.call('erase')).toMatchObject({ isError: true })
  expect(times).toBe(0)
})

test('sessions are listed, found by words and read in parts', async () => {
  const { call, kernel } = await startClient(['A pear.', 'An apple.'])
  const { data } = await call('chat', { message: 'name a fruit' })
  await call('chat', { message: 'another' })
  const { data: listed } = await call('list_sessions', { limit: 10 })
  expect(listed['sessions']).toHaveLength(2)
  const { data: found } = await call('list_sessions', { search: 'pear' })
  expect(found['sessions']).toMatchObject([{ id: data['session_id'], surface: 'mcp', message_count: 2 }])
  const { data: read } = await call('read_session', { session_id: data['session_id'], offset: 1 })
  expect(read).toMatchObject({ total: 2, messages: [{ role: 'assistant', text: 'A pear.' }] })
  expect(await call('read_session', { session_id: 'nope' })).toMatchObject({ isError: true })
  expect(kernel.use(Sessions).list()).toHaveLength(2)
})

test('skills are listed and read', async () => {
  const { client, call, kernel } = await startClient(['x'], { kernel: { plugins: ['skills'] } })
  mkdirSync(join(kernel.home, 'skills/tea'), { recursive: true })
  writeFiles(kernel.home, {
    'skills/tea/SKILL.md': '---\nname: tea\ndescription: Make tea.\n---\n\nBoil water.\n',
    'skills/tea/references/green.md': 'Let it cool.\n',
  })
  await kernel.use(Skills).reload()
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_skill')
  const { data } = await call('list_skills')
  expect(data['skills']).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'tea', description: 'Make tea.' })]),
  )
  expect((await call('read_skill', { name: 'tea' })).text).toContain('Boil water.')
  expect((await call('read_skill', { name: 'tea', path: 'references/green.md' })).text).toContain('Let it cool.')
  expect(await call('read_skill', { name: 'tea', path: '../../config.yaml' })).toMatchObject({ isError: true })
})

test('a turn that fails, a folder that is not there and bad arguments are errors of the call', async () => {
  const { call } = await startClient([{ failure: { kind: 'auth', message: 'the key is refused' } }])
  expect(await call('chat', { message: 'hello' })).toMatchObject({ isError: true })
  expect((await call('chat', { message: 'hello', cwd: 'relative' })).text).toContain('absolute path')
  expect((await call('chat', {})).text).toContain('message')
})
