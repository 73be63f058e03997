/** Stories of traces at a collector that reads OTLP over HTTP in JSON (opentelemetry.io/docs/specs/otlp). */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Agent, Sessions, TurnEnded } from 'svc/sdk'
import { DeliveryFinished, ModelCallFinished, SvcStopping, TurnStarted } from 'svc/sdk/hooks'
import { fakeProvider, fakeTurn, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

const SECRET_WORDS = 'the plan of the takeover'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

async function openCollector(answer = 200) {
  const bodies: string[] = []
  const headers: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    bodies.push(body)
    headers.push(request.headers)
    response.writeHead(answer, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const spans = (): Span[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((each: { scopeSpans: { spans: Span[] }[] }) =>
        each.scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
  return { url: `http://127.0.0.1:${port}/v1/traces`, bodies, headers, spans }
}

async function open(tracing: object, env: Record<string, string> = {}) {
  const calls = [{ name: 'write_file', input: { path: 'a.txt', content: SECRET_WORDS } }]
  const fake = fakeProvider((_, call) => (call % 2 === 0 ? { calls } : SECRET_WORDS))
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'tool-files', 'tracing'],
    with: [fake.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      approvals: { mode: 'off' },
      tracing,
      plugins: { enabled: ['tracing'] },
    },
    env,
  })
  onTestFinished(() => kernel.stop())
  const turn = async () => {
    const { id: sessionId } = kernel.use(Sessions).create({ surface: 'cli', cwd: temporaryFolder() })
    let answer = ''
    for await (const event of kernel.use(Agent).run({ sessionId, text: SECRET_WORDS, surface: 'cli' }))
      if (event.type === 'message.complete') answer = event.text
    return answer
  }
  const flush = () => kernel.call(SvcStopping, { role: 'embedded' } as never)
  const log = () => readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8').split('\n')
  return { kernel, turn, flush, log }
}

const attribute = (span: Span | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0]

test('a turn is one trace, with its model and tool calls below it and nothing that was said', async () => {
  const collector = await openCollector()
  const { turn, flush } = await open({ endpoint: collector.url })
  expect(await turn()).toBe(SECRET_WORDS)
  await flush()
  const spans = collector.spans()
  const root = spans.find(({ name }) => name === 'invoke_agent svc')
  expect(spans.map(({ name }) => name).sort()).toEqual([
    'chat fake-1',
    'chat fake-1',
    'execute_tool write_file',
    'invoke_agent svc',
  ])
  for (const span of spans.filter((each) => each !== root))
    expect(span).toMatchObject({ traceId: root?.traceId, parentSpanId: root?.spanId })
  expect(attribute(root, 'gen_ai.operation.name')).toBe('invoke_agent')
  expect(attribute(root, 'svc.turn.end_reason')).toBe('completed')
  expect(
    attribute(
      spans.find(({ name }) => name.startsWith('chat')),
      'gen_ai.request.model',
    ),
  ).toBe('fake-1')
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  expect(collector.bodies.join()).not.toContain(SECRET_WORDS)
})

test("a subagent's turn is below the one that began it, and failures are marked", async () => {
  const collector = await openCollector()
  const { kernel } = await open({ endpoint: collector.url, service_name: 'svc-at-home' })
  await kernel.call(TurnStarted, { ...fakeTurn({ turnId: 'one' }), text: '', isResumed: false })
  await kernel.call(TurnStarted, { ...fakeTurn({ turnId: 'two', parentTurnId: 'one' }), text: '', isResumed: false })
  const ending = { reason: 'completed', usage: { input: 7 }, text: SECRET_WORDS } as const
  const call = { turnId: 'two', purpose: 'turn', provider: 'fake', model: 'fake-1', usage: {}, durationMs: 250 }
  const failure = { kind: 'timeout', message: 'late', retryable: true } as const
  await kernel.call(ModelCallFinished, { ...call, failure })
  await kernel.call(TurnEnded, { ...fakeTurn({ turnId: 'two', parentTurnId: 'one' }), ...ending })
  await kernel.call(TurnEnded, { ...fakeTurn({ turnId: 'one' }), ...ending })
  const delivery = { id: 'd', key: 'k', part: 0, chatId: 'c', attempts: 3, preview: SECRET_WORDS, at: Date.now() }
  await kernel.call(DeliveryFinished, { ...delivery, platform: 'irc', state: 'failed', trace: 't-1' })
  await kernel.stop()
  const spans = collector.spans()
  const [inner, outer] = ['two', 'one'].map((id) => spans.find((span) => attribute(span, 'svc.turn.id') === id))
  expect(inner).toMatchObject({ traceId: outer?.traceId, parentSpanId: outer?.spanId })
  expect(attribute(inner, 'gen_ai.usage.input_tokens')).toBe(7)
  const chat = spans.find(({ name }) => name.startsWith('chat'))
  expect(chat).toMatchObject({ status: { code: 2 }, parentSpanId: inner?.spanId })
  expect(attribute(chat, 'error.type')).toBe('timeout')
  expect(Number(BigInt(chat?.endTimeUnixNano ?? 0) - BigInt(chat?.startTimeUnixNano ?? 0)) / 1e6).toBeCloseTo(250)
  const deliver = spans.find(({ name }) => name === 'deliver irc')
  expect([attribute(deliver, 'svc.delivery.state'), attribute(deliver, 'svc.trace.id')]).toEqual(['failed', 't-1'])
  expect(deliver?.status.code).toBe(2)
  expect(collector.bodies.join()).toContain('svc-at-home')
  expect(collector.bodies.join()).not.toContain(SECRET_WORDS)
})

test('headers for the collector are sent, and a malformed list is a problem with what to do', async () => {
  const collector = await openCollector()
  const { turn, flush } = await open(
    { endpoint: collector.url },
    { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team = ops' },
  )
  await turn()
  await flush()
  expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer abc', 'x-team': 'ops' })
  const { kernel } = await open({ endpoint: collector.url }, { OTEL_EXPORTER_OTLP_HEADERS: 'Bearer abc' })
  const problem = kernel.problems().find(({ plugin }) => plugin === 'tracing')
  expect(problem).toMatchObject({
    code: 'TRACING_HEADERS',
    message: expect.stringContaining('authorization=Bearer%20abc'),
  })
})

test('a collector that refuses or is away costs no answer, and is logged once', async () => {
  const collector = await openCollector(400)
  const { turn, flush, log } = await open({ endpoint: collector.url })
  for (let turns = 0; turns < 2; turns++) {
    expect(await turn()).toBe(SECRET_WORDS)
    await flush()
  }
  expect(log().filter((line) => line.includes('spans could not be sent'))).toHaveLength(1)
})

test('a part of 0 traces nothing', async () => {
  const collector = await openCollector()
  const { turn, flush } = await open({ endpoint: collector.url, sample: 0 })
  await turn()
  await flush()
  expect(collector.bodies).toEqual([])
})
