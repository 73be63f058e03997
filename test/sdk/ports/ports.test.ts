/** Eight public example extensions of another agent, as plugins of svc: each does what the original does. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { type Plugin, Sessions } from 'svc/sdk'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary.ts'
import * as ports from './ports.ts'

type Script = Parameters<typeof fakeProvider>[0]

async function open(plugin: Plugin<undefined>, script: Script = ['Done.'], more: Partial<InlinePlugin> = {}) {
  const model = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['conversation', 'session-commands', 'tool-files'],
    with: [model.plugin, { name: 'port', ...plugin, ...more } as InlinePlugin],
    env: { PATH: process.env['PATH'] },
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const lastSaid = () => model.requests.at(-1)?.messages.at(-1)?.text
  return { kernel, model, lastSaid }
}

test('auto-commit-on-exit: the end of a conversation commits what it changed', async () => {
  const cwd = temporaryFolder()
  const git = (...words: string[]) => execFileSync('git', words, { cwd, encoding: 'utf8' })
  git('init', '-q')
  git('config', 'user.email', 'ada@example.org')
  git('config', 'user.name', 'Ada')
  const { kernel } = await open(ports.autoCommit, ['I have written a letter.\nIt is short.'])
  const talk = fakeTalk(kernel, { cwd })
  await talk.type('Write a letter.')
  writeFileSync(join(cwd, 'letter.txt'), 'Dear Bob')
  await talk.conversation.close()
  expect(git('log', '--format=%s')).toBe('I have written a letter.\n')
  expect(git('status', '--porcelain')).toBe('')
  expect(kernel.problems()).toEqual([])
})

test.each([
  [true, 0],
  [false, 2],
])('confirm-destructive: a conversation with messages is left after a yes only: %s', async (confirm, left) => {
  const { kernel } = await open(ports.confirmLeaving)
  const talk = fakeTalk(kernel, { person: { confirm } })
  await talk.type('/new', 'Remember this.', '/new')
  expect(kernel.use(Sessions).open(talk.conversation.sessionId).messages()).toHaveLength(left)
})

test('inline-bash: a command in a message becomes its output', async () => {
  const { kernel, lastSaid } = await open(ports.inlineBash)
  await fakeTalk(kernel).type('I am in !{basename "$PWD"} and !{echo sleep; sleep 0.1}.')
  expect(lastSaid()).toMatch(/^I am in svc-test-\w+ and sleep\.$/)
})

test('input-transform: a message is answered or put in other words', async () => {
  const { kernel, model, lastSaid } = await open(ports.inputWords)
  const talk = fakeTalk(kernel)
  await talk.type('time')
  expect(talk.answers()).toEqual(['It is noon.'])
  expect(model.requests).toEqual([])
  await talk.type('?quick why is the sky blue')
  expect(lastSaid()).toBe('Answer in one sentence: why is the sky blue')
})

test('todo: a branch has a copy of the list, an undo takes entries back', async () => {
  const add = (text: string) => ({ calls: [{ name: 'todo', input: { add: text } }] })
  const script = [
    add('milk'),
    'Noted.',
    add('bread'),
    'Noted.',
    { calls: [{ name: 'todo', input: { done: 1 } }] },
    'Done.',
  ]
  const { kernel } = await open(ports.todo, script)
  const talk = fakeTalk(kernel, { person: { approve: 'once', confirm: true } })
  await talk.type('Milk.', 'Bread.')
  const first = talk.conversation.sessionId
  expect(await talk.type('/todos')).toBe('  1 milk\n  2 bread')
  await talk.type('/branch')
  expect(talk.conversation.sessionId).not.toBe(first)
  await talk.type('Milk is bought.')
  expect(await talk.type('/todos')).toBe('x 1 milk\n  2 bread')
  await talk.type('/undo', '/undo')
  expect(await talk.type('/todos')).toBe('  1 milk')
  await talk.type(`/resume ${first}`)
  expect(await talk.type('/todos')).toBe('  1 milk\n  2 bread')
})

test('file-trigger: what is written into a file is said in the conversation', async () => {
  const file = join(temporaryFolder(), 'trigger.txt')
  writeFileSync(file, '')
  const { kernel, model } = await open(ports.fileTrigger(file))
  const talk = fakeTalk(kernel)
  await talk.type('Wait.')
  writeFileSync(file, 'The build failed.')
  await expect.poll(() => model.requests.length).toBe(2)
  await talk.conversation.idle()
  expect(model.requests.at(-1)?.messages.at(-1)?.text).toBe('The build failed.')
})

test('handoff: a new conversation begins with the summary that the person has edited', async () => {
  const { kernel, model } = await open(ports.handoff, ({ messages }) => {
    return messages.at(-1)?.text.startsWith('Sum up') ? 'The parser is slow.' : 'I see.'
  })
  const talk = fakeTalk(kernel, { person: { edit: 'The parser is slow. Make it fast.', confirm: true } })
  await talk.type('The parser is slow.')
  const first = talk.conversation.sessionId
  await talk.type('/handoff a fast parser')
  expect(talk.conversation.sessionId).not.toBe(first)
  const asked = model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')
  expect(asked?.map(({ text }) => text)).toEqual(['The parser is slow. Make it fast.'])
})

test('tool-override: a tool keeps its name and refuses some files', async () => {
  const read = (path: string) => ({ calls: [{ name: 'read_file', input: { path } }] })
  const script = [read('secret.txt'), 'Done.', read('open.txt'), 'Done.']
  const { kernel, lastSaid } = await open(ports.readOverride, script, { replaces: { tools: ['read_file'] } })
  const cwd = temporaryFolder()
  for (const name of ['secret', 'open']) writeFileSync(join(cwd, `${name}.txt`), `It is ${name}.`)
  const talk = fakeTalk(kernel, { cwd })
  await talk.type('Read it.')
  expect(lastSaid()).toBe('This file is not for the model.')
  await talk.type('Read the other.')
  expect(lastSaid()).toContain('It is open.')
  expect(kernel.problems()).toEqual([])
})
