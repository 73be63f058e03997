import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Agent,
  AroundToolCall,
  BeforeToolCall,
  BeforeUserMessage,
  Sessions,
  type ToolCallEvent,
  TurnEnded,
} from 'svc/sdk'
import { SelectCommandEnvironment } from 'svc/sdk/hooks'
import {
  conformance,
  fakeProvider,
  fakeToolTurn,
  fakeTurn,
  type TestKernel,
  testKernel,
  virtualClock,
} from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import plugin from './index.ts'

const turn = fakeTurn({ sessionId: 'session-1', turnId: 'turn-1' })

async function open(config: object = {}, clock = virtualClock()): Promise<TestKernel> {
  // The gate before tools stays shut while a built-in plugin that guards it does not run.
  const kernel = await testKernel({
    plugins: ['approvals'],
    with: [{ name: 'hooks-plugin', ...plugin }],
    config: { plugins: { entries: { 'hooks-plugin': config } } },
    clock,
  })
  onTestFinished(() => kernel.stop())
  return kernel
}

function call(input: unknown): ToolCallEvent {
  const tool = { name: 'terminal', description: '', effect: 'once', reach: 'nothing', toolset: 'terminal' } as const
  return {
    name: tool.name,
    tool,
    input,
    acts: {},
    turn: fakeToolTurn({ ...turn, cwd: '.' }),
  }
}

test('it is what a plugin has to be', async () => {
  const report = await conformance({ dir: import.meta.dirname })
  expect(report.cases.filter(({ result }) => result !== 'ok')).toEqual([])
})

test('a snippet becomes the text it stands for; other words stay', async () => {
  const kernel = await open({ snippets: { ';daily': 'What changed since yesterday?' } })
  expect(await kernel.call(BeforeUserMessage, ';daily Be brief; thanks.', turn)).toBe(
    'What changed since yesterday? Be brief; thanks.',
  )
})

test('a forbidden text in a tool call is denied, and nothing is said about others', async () => {
  const kernel = await open()
  expect(await kernel.call(BeforeToolCall, call({ command: 'sudo rm -rf /' }))).toMatchObject({ allow: false })
  expect(await kernel.call(BeforeToolCall, call({ command: 'ls' }))).toBeUndefined()
})

test('a slow tool call is logged and its result passes through', async () => {
  const clock = virtualClock()
  const kernel = await open({ slow_ms: 100 }, clock)
  const run = (ms: number) =>
    kernel.call(AroundToolCall, call({ ms }), async () => {
      await clock.advance(ms)
      return { text: `after ${ms}` }
    })
  expect(await run(100)).toEqual({ text: 'after 100' })
  expect(await run(101)).toEqual({ text: 'after 101' })
  const log = readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')
  expect(log.split('\n').filter((line) => line.includes('slow'))).toMatchObject([expect.stringContaining('"ms":101')])
})

test('each turn leaves a line in the ledger', async () => {
  const kernel = await open()
  await kernel.call(TurnEnded, { ...turn, reason: 'completed', usage: { input: 3, output: 2 }, text: 'done' })
  const ledger = readFileSync(join(kernel.home, 'data', 'hooks-plugin', 'ledger.jsonl'), 'utf8')
  expect(JSON.parse(ledger)).toMatchObject({ sessionId: 'session-1', reason: 'completed', input: 3, output: 2 })
})

test('in a turn it answers what it knows, tells the model of house rules, and writes down what happened', async () => {
  const fake = fakeProvider([{ calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }] }, 'done'])
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'tool-files'],
    with: [fake.plugin, { name: 'hooks-plugin', ...plugin }],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      approvals: { mode: 'off' },
      plugins: {
        entries: {
          'hooks-plugin': {
            answers: { 'status page': 'https://status.test' },
            tool_notes: { write_file: 'Two spaces.' },
            after_writes: 'Run the tests.',
            environment: { CI: '1' },
          },
        },
      },
    },
  })
  onTestFinished(() => kernel.stop())
  const { id: sessionId } = kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home })
  const ask = async (text: string) => {
    let answer = ''
    for await (const event of kernel.use(Agent).run({ sessionId, text, surface: 'cli' }))
      if (event.type === 'message.complete') answer = event.text
    return answer
  }
  expect(await ask('Status page')).toBe('https://status.test')
  expect(fake.requests).toEqual([])
  expect(await ask('write it')).toBe('done')
  expect(fake.requests[0]?.tools.find(({ name }) => name === 'write_file')?.description).toMatch(/Two spaces\.$/)
  expect(fake.requests[1]?.messages.at(-1)?.text).toContain('[Note: Run the tests.]')
  const start = { tool: 'terminal', command: 'make', turn: fakeToolTurn() }
  expect(await kernel.call(SelectCommandEnvironment, {}, start)).toEqual({ CI: '1' })
  const log = readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')
  for (const line of ['a turn has ended', 'a model call has ended']) expect(log).toContain(line)
})
