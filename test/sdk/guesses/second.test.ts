/** Twelve more guesses of authors who come from other agents: each compiles, and works. */

import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import type { Plugin } from 'svc/sdk'
import { Gateway, Platforms } from 'svc/sdk/platform'
import { Providers } from 'svc/sdk/provider'
import { Access } from 'svc/sdk/safety'
import { Display, StatusItems } from 'svc/sdk/terminal'
import { fakeProvider, fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openApi } from '../../plugins/http/api-server/desk.ts'
import { scene } from '../../support/scene.ts'
import * as guesses from './second.ts'
import { synchronousTool } from './tools.ts'

type Options = NonNullable<Parameters<typeof testKernel>[0]>

const named = (name: string, plugin: Plugin<undefined>, more: Partial<InlinePlugin> = {}): InlinePlugin =>
  ({ name, ...plugin, ...more }) as InlinePlugin

async function open(options: Options) {
  const kernel = await testKernel({ plugins: ['conversation'], ...options })
  onTestFinished(() => kernel.stop())
  return kernel
}

const scripted = { model: { provider: 'fake', default: 'fake-1' } }

test.each([
  ['small', true, 'Ordered a small margherita.'],
  ['small', false, 'Cancelled.'],
  [undefined, true, 'Cancelled.'],
])('a tool asks to choose from a list and to confirm: %s, %s', async (choose, confirm, answer) => {
  const model = fakeProvider([{ calls: [{ name: 'order_pizza', input: { kind: 'margherita' } }] }, 'Done.'])
  const kernel = await open({ with: [model.plugin, named('pizza', guesses.askForSize)], config: scripted })
  const talk = fakeTalk(kernel, { person: { confirm, approve: 'once', ...(choose && { choose }) } })
  await talk.type('Pizza, please.')
  expect(model.requests.at(-1)?.messages.at(-1)?.text).toBe(answer)
})

test('a gate blocks a command in the words of other agents', async () => {
  const { tool, kernel } = await scene({
    plugins: ['approvals'],
    with: [named('shell', synchronousTool), named('gate', guesses.blockSudo)],
  })
  expect(await tool('shell', { command: 'sudo ls' })).toMatchObject({
    ok: false,
    refusal: { reason: 'sudo is not allowed (gate)' },
  })
  expect(await tool('shell', { command: 'ls' })).toMatchObject({ ok: true })
  expect(kernel.problems().filter(({ plugin }) => plugin === 'gate')).toEqual([])
})

test('a result is replaced by another text', async () => {
  const { tool } = await scene({
    plugins: ['approvals'],
    with: [named('shell', synchronousTool), named('shorten', guesses.shortenResults)],
  })
  expect(await tool('shell', { command: 'listing' })).toMatchObject({ ok: true, text: 'list...' })
})

test('a list without a schema is kept over a restart, as the command shows it', async () => {
  const first = await open({ with: [named('todos', guesses.todoList)] })
  expect(await fakeTalk(first).type('/todo buy milk', '/todo call Ada')).toBe('buy milk\nbuy milk\ncall Ada')
  const second = await open({ home: first.home, with: [named('todos', guesses.todoList)] })
  expect(await fakeTalk(second).type('/todo')).toBe('buy milk\ncall Ada')
})

test('a command has arguments, an alias, completions that are texts, and tells the person something', async () => {
  const kernel = await open({ with: [named('weather', guesses.weatherCommand)] })
  const talk = fakeTalk(kernel)
  expect(await talk.type('/fc Bern 3')).toBe('Asking for Bern\nBern: 3 fine day(s)')
  expect(await talk.conversation.complete('/forecast B')).toEqual([{ text: 'Bern', from: 10 }])
  expect(await talk.conversation.complete('/forecast Bern t')).toEqual([{ text: 'Thun', from: 15 }])
  const [command] = await talk.conversation.complete('/forec')
  expect(command).toMatchObject({ label: '/forecast <city> [days]', open: true })
})

test('a provider needs a name, models and a stream', async () => {
  const kernel = await open({
    with: [named('echo', guesses.echoProvider)],
    config: { model: { provider: 'echo', default: 'echo-1' } },
  })
  const talk = fakeTalk(kernel)
  await talk.type('hello')
  expect(talk.answers()).toEqual(['You said: hello'])
  expect(kernel.all(Providers).get('echo')).toMatchObject({ label: 'echo' })
  expect(await kernel.all(Providers).get('echo')?.status()).toMatchObject({ ready: true })
})

test('a platform needs a name, connect and send', async () => {
  const service = new EventEmitter()
  const sent: string[] = []
  service.on('sent', (text) => sent.push(text))
  const model = fakeProvider(['Hello, Ada.'])
  const kernel = await open({
    plugins: ['gateway', 'session-commands'],
    with: [model.plugin, named('pager', guesses.pager(service))],
    config: scripted,
  })
  await kernel.use(Gateway).start()
  await expect.poll(() => service.listenerCount('message')).toBe(1)
  service.emit('message', '1', 'ada', 'hello')
  // A platform that says nothing of access lets in those whom the owner approves.
  await expect.poll(() => sent).toEqual([expect.stringMatching(/svc pairing approve pager \w+/)])
  const [, code = ''] = /pager (\w+)/.exec(sent[0] ?? '') ?? []
  kernel.use(Access).approve('pager', code)
  service.emit('message', '2', 'ada', 'hello')
  await expect.poll(() => sent.at(-1)).toBe('ada: Hello, Ada.')
  expect(kernel.all(Platforms).get('pager')).toMatchObject({ label: 'pager', limits: { idempotency: 'none' } })
  expect(kernel.problems()).toEqual([])
})

test('a route answers at once, without a summary', async () => {
  const desk = await openApi([], { with: [named('route', guesses.route)] })
  expect(await desk.read('/hello/Ada')).toMatchObject({ status: 200, body: { hello: 'Ada' } })
  expect(desk.kernel.problems()).toEqual([])
})

test('timers run by the clock of the kernel', async () => {
  const clock = virtualClock()
  const kernel = await open({ with: [named('timer', guesses.timer)], clock })
  await clock.advance(2100)
  const log = () => readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')
  await expect.poll(log).toMatch(/"ticks":2/)
  expect(log()).toContain('once')
})

test('a theme is a name and colours', async () => {
  const kernel = await open({
    plugins: ['display'],
    with: [named('theme', guesses.theme)],
    config: { display: { skin: 'midnight' } },
  })
  expect(kernel.problems()).toEqual([])
  expect(kernel.use(Display).skin()).toMatchObject({
    name: 'midnight',
    description: 'midnight',
    colors: { accent: { color: '#8888ff' }, error: { color: '#ff4444' } },
  })
})

test('a status item is a text', async () => {
  const kernel = await open({ with: [named('status', guesses.status)] })
  expect(kernel.all(StatusItems).get('branch')?.line(fakeTalk(kernel).conversation)).toBe('main')
})

test('a tool has a subagent do its work', async () => {
  const model = fakeProvider(({ messages }) => {
    const text = messages.at(-1)?.text ?? ''
    if (text.startsWith('Review this')) return 'It is good.'
    return messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'review', input: { text: 'a poem' } }] }
  })
  const kernel = await open({ with: [model.plugin, named('reviewer', guesses.reviewer)], config: scripted })
  const talk = fakeTalk(kernel, { person: { approve: 'once' } })
  await talk.type('Review my poem.')
  expect(model.requests.at(-1)?.messages.at(-1)?.text).toBe('It is good.')
  expect(talk.answers()).toEqual(['Done.'])
})
