/** Model servers that are down, slow, lying or mad. The user is told what happened and what to do; nothing is lost. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { whyInvalid } from '../plugins/sessions/sessions/support.ts'
import type { Fault, Reply } from '../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { collect, findError, toolPlugin, whyNoSentence } from '../support/scene.ts'
import { looker } from '../support/scene-tools.ts'

interface Stage {
  readonly kernel: TestKernel
  readonly server: ModelServer
  turn(text: string): Promise<TurnEvent[]>
  messages(): ReturnType<ReturnType<Sessions['open']>['messages']>
}

type OpenOptions = NonNullable<Parameters<typeof testKernel>[0]>

async function stage(replies: readonly Reply[], options: OpenOptions = {}, url?: string): Promise<Stage> {
  const server = await startModelServer({ replies })
  onTestFinished(() => server.close())
  const kernel = await testKernel({
    plugins: ['agent', 'provider-openai', ...(options.plugins ?? [])],
    with: [toolPlugin(looker)],
    env: { CUSTOM_API_KEY: 'sk-test-0123456789' },
    ...(options.clock && { clock: options.clock }),
    config: {
      model: { provider: 'custom', base_url: url ?? server.url, default: 'fake-model' },
      agent: { max_retries: 0 },
      ...options.config,
    },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  return {
    kernel,
    server,
    messages: () => session.messages(),
    async turn(text) {
      const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test' }))
      expect(whyInvalid(session.messages())).toBeUndefined()
      return events
    },
  }
}

const html = '<!doctype html><html><head><title>Sign in</title></head><body>Welcome to the hotel.</body></html>'

const faults: Record<string, Fault> = {
  'an HTML page': 'html',
  'garbage in the stream': 'garbage',
  'JSON of something else': 'wrong-json',
  'half an answer': 'cut',
  'an error in the stream': 'error-event',
  'no end of the answer': 'no-finish',
  'a page with status 502': { status: 502, headers: { 'content-type': 'text/html' }, body: html },
  'a page with status 404': { status: 404, headers: { 'content-type': 'text/html' }, body: html },
  'an empty body with status 500': { status: 500, body: '' },
  'status 400 with a stack trace': { status: 400, body: 'TypeError: x\n    at foo (bar.js:1:2)\n'.repeat(500) },
  'status 401': { status: 401, message: 'Incorrect API key provided: sk-test-0123456789' },
  'status 418': { status: 418, body: '[1,2,3]' },
  'status 429 with an odd wait': { status: 429, headers: { 'retry-after': 'soon' } },
  'JSON null with status 500': { status: 500, body: 'null' },
  'a number as its error': { status: 500, body: '{"error":5}' },
}

/** Those that break an answer of which something was shown: the turn continues from it. */
const breaks = ['an error in the stream', 'no end of the answer']

test.each(Object.keys(faults))('a server that sends %s: a sentence, and the next turn works', async (name) => {
  const { turn, messages } = await stage([
    { text: 'some words', fault: faults[name] as Fault },
    'Fine now.',
    'Fine now.',
  ])
  const events = await turn('hello')
  const isBroken = breaks.includes(name)
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: isBroken ? 'completed' : 'failed' })
  const notice = events.findLast((event) => event.type === 'notice')?.text.replace(' Going on from what was said.', '')
  const said = (isBroken ? notice : findError(events)?.message) ?? ''
  expect(
    whyNoSentence(said.replace('TypeError: x at foo (bar.js:1:2)', '').replaceAll(/TypeError: x|at foo/g, '')),
  ).toBeUndefined()
  expect(said).not.toMatch(/<html|<!doctype|0123456789/i)
  expect(said.length).toBeLessThan(700)
  expect((await turn('again')).at(-1)).toMatchObject({ reason: 'completed' })
  expect(messages().at(-1)).toMatchObject({ role: 'assistant', text: 'Fine now.' })
})

/** A server that writes these bytes and ends, or closes the connection. */
async function rawServer(answer: (response: http.ServerResponse) => void): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().once('end', () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const stream = { 'content-type': 'text/event-stream' }
const chunk = (delta: unknown, finish: unknown = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const rawAnswers: Record<string, (response: http.ServerResponse) => void> = {
  'closes the connection': (response) => response.destroy(),
  'sends nothing at all': (response) => response.writeHead(200, stream).end(),
  'sends random bytes': (response) =>
    response.writeHead(200, stream).end(Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256))),
  'sends one event of 40 MB': (response) => {
    response.writeHead(200, stream)
    response.end(`data: ${'x'.repeat(40_000_000)}`)
  },
  'sends choices that are none': (response) => {
    response.writeHead(200, stream)
    response.end('data: {"choices":"none"}\n\ndata: {"choices":[null]}\n\ndata: 5\n\ndata: null\n\ndata: [DONE]\n\n')
  },
  'sends text that is a number': (response) => {
    response.writeHead(200, stream)
    response.end(`${chunk({ content: 5 })}${chunk({ content: { a: 1 } })}${chunk({}, 7)}data: [DONE]\n\n`)
  },
  'sends calls that are none': (response) => {
    response.writeHead(200, stream)
    response.end(
      `${chunk({ tool_calls: 'look' })}${chunk({ tool_calls: [null, 5, {}] })}${chunk({ tool_calls: [{ index: 'a', function: 'x' }] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`,
    )
  },
  'redirects in a circle': (response) => response.writeHead(302, { location: '/v1/chat/completions' }).end(),
  'redirects to a file': (response) => response.writeHead(307, { location: 'file:///etc/passwd' }).end(),
  'sends gzip that is none': (response) =>
    response.writeHead(200, { ...stream, 'content-encoding': 'gzip' }).end('no gzip at all'),
  'sends status 204': (response) => response.writeHead(204).end(),
  'sends a body for ever with status 500': (response) => {
    response.writeHead(500, { 'content-type': 'text/plain' })
    const more = () => void (!response.destroyed && response.write('e'.repeat(65_536), () => setImmediate(more)))
    more()
  },
}

test.each(Object.keys(rawAnswers))('a server that %s: the turn ends with a sentence', async (name) => {
  const url = await rawServer(rawAnswers[name] as (response: http.ServerResponse) => void)
  const { turn } = await stage([], {}, url)
  const events = await turn('hello')
  expect(events.at(-1)?.type).toBe('turn.end')
  const error = findError(events)
  const said = error?.message.replace(/cannot be read: [^.]*\./, 'cannot be read.')
  if (said) expect(whyNoSentence(said)).toBeUndefined()
  else expect(name).toMatch(/number|none/)
})

test('a server that falls silent in the middle is given up after its time, and the turn continues from what it said', async () => {
  const clock = virtualClock(Date.now())
  const { turn, server, messages } = await stage(
    [{ text: ['one ', 'two ', 'three ', 'four '], fault: 'stall' }, 'Fine.', 'Fine.'],
    { clock },
  )
  const running = turn('hello')
  await server.stalled
  let events: TurnEvent[] | undefined
  void running.then((all) => {
    events = all
  })
  for (let minute = 0; minute < 20 && !events; minute++) await clock.advance(60_000)
  events = await running
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  const notice = events.find((event) => event.type === 'notice')
  expect(notice?.text).toMatch(/ s\b|silent|no byte|stalled/i)
  const shown = events.flatMap((event) => (event.type === 'message.delta' ? [event.text] : [])).join('')
  expect(shown).toMatch(/^one .*Fine\.$/)
  const kept = messages().flatMap((message) => (message.role === 'assistant' ? message.text : []))
  expect(kept.join('')).toBe(shown)
  expect((await turn('again')).at(-1)).toMatchObject({ reason: 'completed' })
})

test('a server that reports no usage still counts against a cap in tokens', async () => {
  const reply = { text: 'word '.repeat(400), usage: 'none' } as const
  const { turn, kernel } = await stage(
    Array.from({ length: 20 }, () => reply),
    {
      plugins: ['budgets'],
      config: { budget: { session: { tokens: 20_000 } } },
    },
  )
  expect(kernel.use(Budgets)).toBeDefined()
  const ends: string[] = []
  for (let count = 0; count < 20 && !ends.includes('failed'); count++) {
    const events = await turn('x'.repeat(8000))
    const last = events.at(-1)
    if (last?.type === 'turn.end') ends.push(last.reason)
    if (findError(events)) expect(findError(events)).toMatchObject({ code: 'BUDGET_EXCEEDED' })
  }
  expect(ends.length).toBeGreaterThan(1)
  expect(ends.at(-1)).toBe('failed')
})

test('a context that overflows in the middle of a tool loop: the error says what to do, and the next turn works', async () => {
  const overflow: Fault = {
    status: 400,
    code: 'context_length_exceeded',
    message: "This model's maximum context length is 8192 tokens, however you requested 9000 tokens.",
  }
  const call = { calls: [{ name: 'look', arguments: {} }] }
  const { turn, server, messages } = await stage([call, call, { fault: overflow }, 'Fine now.'])
  const events = await turn('look twice')
  expect(events.at(-1)).toMatchObject({ reason: 'failed' })
  expect(findError(events)?.message).toMatch(/longer than fake-model can read.*(new|compress|more)/s)
  expect(messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
  expect((await turn('and?')).at(-1)).toMatchObject({ reason: 'completed' })
  const sent = server.requests.at(-1)?.body['messages'] as { role: string; tool_call_id?: string }[]
  expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'])
})
