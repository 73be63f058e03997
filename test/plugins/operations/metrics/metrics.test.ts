/** Stories of what Prometheus reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, AroundToolCall, Sessions } from 'svc/sdk'
import { DeliveryFinished, ModelCallFinished, PlatformChanged, PluginFailed } from 'svc/sdk/hooks'
import { HealthChecks } from 'svc/sdk/host'
import { fakeProvider, fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

const TOKEN = 'metrics-0123456789abcdef'
const SECRET_WORDS = 'the plan of the takeover'

async function open({ env = { SVC_METRICS_TOKEN: TOKEN }, host = '127.0.0.1' } = {}) {
  const calls = [{ name: 'write_file', input: { path: 'a.txt', content: SECRET_WORDS } }]
  const fake = fakeProvider((_, call) => (call % 2 === 0 ? { calls } : 'done'))
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'tool-files', 'metrics'],
    with: [fake.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      approvals: { mode: 'off' },
      metrics: { port: 0, host },
      plugins: { enabled: ['metrics'] },
    },
    env,
  })
  onTestFinished(() => kernel.stop())
  const url = kernel
    .find(Http)
    ?.apps()
    .find(({ name }) => name === 'metrics')?.url
  const scrape = (authorization = `Bearer ${TOKEN}`) => fetch(`${url}/metrics`, { headers: { authorization } })
  const turn = async (text: string) => {
    const { id: sessionId } = kernel.use(Sessions).create({ surface: 'cli', cwd: temporaryFolder() })
    for await (const _ of kernel.use(Agent).run({ sessionId, text, surface: 'cli' })) void _
  }
  return { kernel, url, scrape, turn, read: async () => parse(await (await scrape()).text()) }
}

const LABELS = String.raw`\{(?:[a-z_]\w*="(?:[^"\\\n]|\\.)*",?)*\}`
const SAMPLE = new RegExp(String.raw`^([a-zA-Z_:][\w:]*)(${LABELS})? (-?[\d.e+-]+|\+Inf|NaN)( \d+)?$`)

/** Series by name and labels. Throws for a line that the text format does not have, and for a metric without a type. */
function parse(text: string): Map<string, number> {
  const typed = new Set<string>()
  const series = new Map<string, number>()
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, named] = /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line) ?? []
    if (named !== undefined) typed.add(named)
    if (line.startsWith('#')) continue
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
    if (!typed.has(name) && !typed.has(name.replace(/_(?:bucket|sum|count)$/, ''))) throw new Error(`no type: ${line}`)
    series.set(name + labels, Number(value))
  }
  return series
}

test('a turn with a tool call is counted, and what was said is in no label', async () => {
  const { turn, read, scrape } = await open()
  await turn(SECRET_WORDS)
  await turn('once more')
  const series = await read()
  expect(series.get('svc_turns_total{surface="cli",reason="completed"}')).toBe(2)
  expect(series.get('svc_turn_duration_seconds_count{surface="cli"}')).toBe(2)
  const model = 'provider="fake",model="fake-1"'
  expect(series.get(`svc_model_calls_total{${model},purpose="turn",outcome="ok"}`)).toBe(4)
  expect(series.get(`svc_model_call_duration_seconds_count{${model},purpose="turn"}`)).toBe(4)
  expect(series.get(`svc_model_tokens_total{${model},kind="output"}`)).toBeGreaterThan(0)
  expect(series.get('svc_tool_calls_total{tool="write_file",outcome="ok"}')).toBe(2)
  expect(series.get('svc_tool_duration_seconds_count{tool="write_file"}')).toBe(2)
  expect([...series.keys()].some((name) => name.startsWith('process_resident_memory_bytes'))).toBe(true)
  expect(await (await scrape()).text()).not.toContain(SECRET_WORDS)
})

test('failures, deliveries and platforms are counted by what became of them', async () => {
  const { kernel, read } = await open()
  const failure = { kind: 'rate-limit', message: 'later', retryable: true } as const
  const call = { purpose: 'turn', provider: 'fake', model: 'fake-1', durationMs: 400 }
  await kernel.call(ModelCallFinished, { ...call, usage: { input: 5, unpricedCalls: 1 }, failure })
  await kernel.call(ModelCallFinished, { ...call, usage: { output: 2, costUsd: 0.25 } })
  const delivery = { id: 'd', key: 'k', part: 0, chatId: 'c', attempts: 1, preview: SECRET_WORDS, at: 0 }
  for (const state of ['delivered', 'delivered', 'uncertain'] as const)
    await kernel.call(DeliveryFinished, { ...delivery, platform: 'irc', state })
  const status = { name: 'irc', label: 'IRC', attempts: 0, since: 0 }
  await kernel.call(PlatformChanged, { ...status, state: 'connected' })
  await kernel.call(PluginFailed, { plugin: 'hello', stage: 'hook', message: SECRET_WORDS, code: 'HELLO_BAD', at: 0 })
  const tool = { name: 'fetch', description: '', effect: 'once', reach: 'nothing', toolset: 'web' } as const
  const event = { name: 'fetch', tool, input: {}, acts: {}, turn: fakeToolTurn() }
  expect(await kernel.call(AroundToolCall, event, async () => ({ text: 'no', failed: true }))).toMatchObject({
    text: 'no',
  })
  const series = await read()
  expect(series.get('svc_tool_calls_total{tool="fetch",outcome="failed"}')).toBe(1)
  const model = 'provider="fake",model="fake-1"'
  expect(series.get(`svc_model_calls_total{${model},purpose="turn",outcome="rate-limit"}`)).toBe(1)
  expect(series.get(`svc_model_calls_total{${model},purpose="turn",outcome="ok"}`)).toBe(1)
  expect(series.get(`svc_model_tokens_total{${model},kind="input"}`)).toBe(5)
  expect(series.get(`svc_model_cost_usd_total{${model}}`)).toBe(0.25)
  expect(series.get(`svc_model_unpriced_calls_total{${model}}`)).toBe(1)
  expect(series.get(`svc_model_call_duration_seconds_sum{${model},purpose="turn"}`)).toBeCloseTo(0.8)
  expect(series.get('svc_deliveries_total{platform="irc",state="delivered"}')).toBe(2)
  expect(series.get('svc_deliveries_total{platform="irc",state="uncertain"}')).toBe(1)
  expect(series.get('svc_platform_connected{platform="irc"}')).toBe(1)
  expect(series.get('svc_plugin_failures_total{plugin="hello",code="HELLO_BAD"}')).toBe(1)
  await kernel.call(PlatformChanged, { ...status, state: 'retrying' })
  expect((await read()).get('svc_platform_connected{platform="irc"}')).toBe(0)
})

test('only the token opens the page', async () => {
  const { scrape } = await open()
  expect((await scrape()).status).toBe(200)
  for (const wrong of ['', 'Bearer wrong', `Basic ${TOKEN}`]) expect((await scrape(wrong)).status).toBe(401)
})

test.for([
  [{}, 'has 0 characters'],
  [{ SVC_METRICS_TOKEN: 'short' }, 'needs 16'],
] as const)('with a weak token, or none, nothing listens and what to do is said', async ([env, words]) => {
  const { kernel, url } = await open({ env: env as { SVC_METRICS_TOKEN: string } })
  expect(url).toBeUndefined()
  expect(readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8')).toContain('svc config set SVC_METRICS_TOKEN')
  const [finding] = (await kernel.all(HealthChecks).get('metrics')?.check(new AbortController().signal)) ?? []
  expect(finding).toMatchObject({ state: 'problem', text: expect.stringContaining(words) })
  expect(finding?.fix).toContain('svc config set SVC_METRICS_TOKEN')
})

test('it is not loaded until it is enabled', async () => {
  await using kernel = await testKernel({ plugins: ['gateway'], env: { SVC_METRICS_TOKEN: TOKEN } })
  expect(
    kernel
      .find(Http)
      ?.apps()
      .map(({ name }) => name) ?? [],
  ).not.toContain('metrics')
})
