/** What an author guesses who knows one point compiles and works. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { BeforeToolCall, definePlugin, type Plugin } from 'svc/sdk'
import { KeyBindings, StatusItems } from 'svc/sdk/terminal'
import { fakeProvider, fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { scene } from '../../support/scene.ts'
import * as program from './program.ts'
import * as tools from './tools.ts'

const named = (plugins: Readonly<Record<string, Plugin<undefined>>>): InlinePlugin[] =>
  Object.entries(plugins).map(([name, plugin]) => ({ name, ...plugin }) as InlinePlugin)

async function open(plugins: Readonly<Record<string, Plugin<undefined>>>) {
  const kernel = await testKernel({ plugins: ['conversation'], with: named(plugins) })
  onTestFinished(() => kernel.stop())
  return kernel
}

test('a gate reads a field of the tool that it knows', async () => {
  const { tool } = await scene({
    plugins: ['approvals'],
    with: named({ a: tools.synchronousTool, b: tools.blockCommand }),
  })
  expect(await tool('shell', { command: 'rm -rf x' })).toMatchObject({
    ok: false,
    refusal: { reason: 'too dangerous (b)' },
  })
  expect(await tool('shell', { command: 'ls' })).toMatchObject({ ok: true, text: 'ls sk-123' })
})

test('an input is rewritten, and a result redacted', async () => {
  const { synchronousTool, rewriteInput, redactOutput } = tools
  const { tool } = await scene({ plugins: ['approvals'], with: named({ synchronousTool, rewriteInput, redactOutput }) })
  expect(await tool('shell', { command: 'ls' })).toMatchObject({ ok: true, text: 'nice ls [key]' })
})

test.each([
  ['allow: true', { allow: true, input: { command: 'ls' } }, 'BeforeToolInput'],
  ['decision: allow', { decision: 'allow', input: { command: 'ls' } }, 'BeforeToolInput'],
  ['another dialect', { action: 'block', reason: 'no' }, 'It does not know "action"'],
  ['block: false', { block: false }, "Return { decision: 'deny', reason }"],
  ['block beside an answer', { block: true, decision: 'allow' }, "Return { decision: 'deny', reason }"],
  ['a boolean', false, "Return { decision: 'deny', reason }"],
])('a gate that answers with %s denies, and its author reads what to do', async (_, answer, advice) => {
  const gate = definePlugin({ setup: (ctx) => void ctx.on(BeforeToolCall, () => answer as never) })
  const { tool, kernel } = await scene({
    plugins: ['approvals'],
    with: named({ shell: tools.synchronousTool, gate: gate as Plugin<undefined> }),
  })
  expect(await tool('shell', { command: 'ls' })).toMatchObject({ ok: false })
  const faults = kernel.problems().filter(({ plugin }) => plugin === 'gate')
  expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(advice)])
})

test('a tool with parameters and execute runs; its effect is the safest and its toolset that of the plugin', async () => {
  const { tool, kernel } = await scene({ plugins: ['approvals'], with: named({ weather: tools.toolWithParameters }) })
  expect(await tool('weather', { city: 'Graz' })).toMatchObject({ ok: true, text: 'Sunny in Graz.' })
  expect(await tool('weather', {})).toMatchObject({ ok: false, refusal: { kind: 'arguments' } })
  const { Tools } = await import('svc/sdk')
  expect(kernel.all(Tools).get('weather')).toMatchObject({ effect: 'once', toolset: 'weather' })
})

test('a line of the prompt needs no tier', async () => {
  const { turn, fake } = await scene({ with: named({ language: tools.promptLine }) })
  await turn('hi')
  expect(JSON.stringify(fake.requests[0]?.messages[0])).toContain('Answer in French.')
})

test('commands answer with a text, at once', async () => {
  const kernel = await open({ commands: program.commands })
  expect(await fakeTalk(kernel).type('/double ha')).toBe('haha')
  expect(await kernel.run(['double', 'ha'])).toEqual({ code: 0, out: 'haha\n', err: '' })
})

test('JSON goes to a service and comes back checked', async () => {
  const server = createServer((_request, response) => response.end('{"rate":1.5}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const kernel = await open({ rates: program.jsonOverHttp })
  const { port } = server.address() as AddressInfo
  expect(await fakeTalk(kernel).type(`/rate http://127.0.0.1:${port}`)).toBe('Rate: 1.5')
  server.closeAllConnections()
})

test('a status item is a text, and a key is written as people write it', async () => {
  const kernel = await open({ status: program.statusAndKey })
  expect(kernel.all(StatusItems).get('mood')?.line(fakeTalk(kernel).conversation)).toBe('all is well')
  expect(kernel.all(KeyBindings).get('C-g')).toMatchObject({ key: 'ctrl+g' })
})

test('one plugin calls a hook of its own, another listens', async () => {
  const kernel = await open({ brewer: program.brewer, drinker: program.drinker })
  await fakeTalk(kernel).type('/brew')
  expect(readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')).toContain('"cups":2')
})

const readLog = (home: string) => readFileSync(join(home, 'logs', 'svc.log'), 'utf8')

test('a job asks the agent and awaits the outcome; the cost of the turn has its model', async () => {
  const clock = virtualClock()
  const fake = fakeProvider([
    { text: 'No.', usage: { costUsd: 0.5 } },
    { failure: { kind: 'auth', message: 'no key' } },
  ])
  const kernel = await testKernel({
    plugins: ['agent'],
    with: [fake.plugin, ...named({ asker: program.askTheAgent, costs: program.costs })],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    clock,
  })
  onTestFinished(() => kernel.stop())
  await clock.advance(10 * 60_000)
  await expect.poll(() => readLog(kernel.home)).toContain('"text":"No."')
  expect(readLog(kernel.home)).toMatch(/"model":"fake-1","usd":0.5/)
  await clock.advance(10 * 60_000)
  await expect.poll(() => readLog(kernel.home)).toContain('"error":"MODEL_')
  expect(kernel.problems()).toEqual([])
})

test('a counter is kept over a restart without a database', async () => {
  const first = await open({ counter: program.counter })
  expect(await fakeTalk(first).type('/count', '/count')).toBe('1\n2')
  await using second = await testKernel({
    home: first.home,
    plugins: ['conversation'],
    with: named({ counter: program.counter }),
  })
  expect(await fakeTalk(second).type('/count')).toBe('3')
})

test('the begin of a conversation is announced', async () => {
  const kernel = await open({ greeter: program.greeter })
  const { conversation } = fakeTalk(kernel)
  await expect.poll(() => readLog(kernel.home)).toContain(`"sessionId":"${conversation.sessionId}"`)
})
