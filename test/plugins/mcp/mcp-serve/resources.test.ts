import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { Sessions } from 'svc/sdk'
import { Skills } from 'svc/sdk/skills'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { writeFiles } from '../../../support/temporary.ts'
import { startClient } from './client.ts'

async function startWithTea() {
  const started = await startClient(['x'], { kernel: { plugins: ['skills'] } })
  const { kernel } = started
  mkdirSync(join(kernel.home, 'skills/tea/references'), { recursive: true })
  writeFiles(kernel.home, {
    'skills/tea/SKILL.md': '---\nname: tea\ndescription: Make tea.\n---\n\nBoil water.\n',
    'skills/tea/references/green.md': 'Let it cool.\n',
  })
  await kernel.use(Skills).reload()
  return started
}

test('a skill is a prompt: its text, a file of it that is completed, and what to do', async () => {
  const { client } = await startWithTea()
  expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'tea', description: 'Make tea.' }])
  const file = { ref: { type: 'ref/prompt', name: 'tea' }, argument: { name: 'file', value: 'ref' } } as const
  expect((await client.complete(file)).completion.values).toEqual(['references/green.md'])
  const given = { task: 'For two, please.', file: 'references/green.md' }
  const { messages } = await client.getPrompt({ name: 'tea', arguments: given })
  const texts = messages.map(({ content }) => ('text' in content ? content.text : ''))
  expect(texts[0]).toContain('Boil water.')
  expect(texts.slice(1)).toEqual(['Let it cool.\n', 'For two, please.'])
  await expect(client.getPrompt({ name: 'tea', arguments: { file: '../../config.yaml' } })).rejects.toThrow()
})

test('files of a skill are resources, and nothing outside of its folder is', async () => {
  const { client } = await startWithTea()
  const { resources } = await client.listResources()
  expect(resources).toMatchObject([{ uri: 'svc://skills/tea/SKILL.md', name: 'tea', mimeType: 'text/markdown' }])
  const { contents } = await client.readResource({ uri: 'svc://skills/tea/references/green.md' })
  expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: 'Let it cool.\n' }])
  for (const uri of ['svc://skills/tea/nope.md', 'svc://skills/nope/SKILL.md', 'file:///etc/passwd', 'svc://skills/%'])
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002 })
  await expect(client.readResource({ uri: 'svc://skills/tea/..%2F..%2Fconfig.yaml' })).rejects.toThrow()
  const template = { type: 'ref/resource', uri: 'svc://skills/{name}/{+path}' } as const
  const complete = async (name: string, value: string, given: Record<string, string> = {}) =>
    (await client.complete({ ref: template, argument: { name, value }, context: { arguments: given } })).completion
      .values
  expect(await complete('name', 't')).toEqual(['tea'])
  expect(await complete('path', '', { name: 'tea' })).toContain('references/green.md')
})

test('a session is a resource: its last messages, or a part of them', async () => {
  const { client, call } = await startClient(['A pear.', 'A plum.'])
  const { data } = await call('chat', { message: 'a fruit?' })
  const id = String(data['session_id'])
  await call('chat', { message: 'another?', session_id: id })
  const uri = `svc://sessions/${id}`
  expect((await client.listResources()).resources).toMatchObject([{ uri, mimeType: 'application/json' }])
  const read = async (query: string) => {
    const [content] = (await client.readResource({ uri: `${uri}${query}` })).contents
    return JSON.parse(content && 'text' in content ? String(content.text) : '')
  }
  expect(await read('')).toMatchObject({ id, total: 4, offset: 0 })
  expect(await read('?limit=1')).toMatchObject({ offset: 3, messages: [{ text: 'A plum.' }] })
  expect(await read('?offset=1&limit=1')).toMatchObject({ messages: [{ role: 'assistant', text: 'A pear.' }] })
  await expect(client.readResource({ uri: `${uri}?limit=-1` })).rejects.toThrow('whole number')
  await expect(client.readResource({ uri: 'svc://sessions/nope' })).rejects.toMatchObject({ code: -32002 })
  const template = { type: 'ref/resource', uri: 'svc://sessions/{id}{?offset,limit}' } as const
  const argument = { name: 'id', value: id.slice(0, 5) }
  expect((await client.complete({ ref: template, argument })).completion.values).toEqual([id])
})

test('a client that follows a session is told when it changes, until it has seen enough', async () => {
  const clock = virtualClock()
  const { client, kernel } = await startClient(['x'], { kernel: { clock } })
  const { id } = kernel.use(Sessions).create()
  const uri = `svc://sessions/${id}`
  const told: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
  await client.subscribeResource({ uri })
  await expect(client.subscribeResource({ uri: 'svc://sessions/nope' })).rejects.toMatchObject({ code: -32002 })
  await clock.advance(5_000)
  kernel.use(Sessions).rename(id, 'Fruit')
  await clock.advance(5_000)
  await expect.poll(() => told).toEqual([uri])
  await client.unsubscribeResource({ uri })
  kernel.use(Sessions).rename(id, 'Fruits')
  await clock.advance(5_000)
  await client.ping()
  expect(told).toEqual([uri])
})
