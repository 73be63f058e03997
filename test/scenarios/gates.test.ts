/** The gate table: whatever a listener answers, wherever it stands and however it fails, it opens nothing. */
import type { InlinePlugin } from 'svc'
import { Agent, BeforeToolCall, defineTool, type HookOptions, Sessions, Tools } from 'svc/sdk'
import { fakeProvider, type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { collect } from '../support/scene.ts'
import { isToday } from '../support/today.ts'

/** What a listener may come up with. `true`: it has nothing against the call. */
const shapes: Readonly<Record<string, readonly [isFine: boolean, answer: () => unknown]>> = {
  nothing: [true, () => undefined],
  abstain: [true, () => ({ decision: 'abstain' })],
  allow: [true, () => ({ decision: 'allow' })],
  'allow: true': [true, () => ({ allow: true })],
  deny: [false, () => ({ decision: 'deny', reason: 'mine' })],
  'allow: false': [false, () => ({ allow: false, reason: 'mine' })],
  ask: [false, () => ({ decision: 'ask', question: { reason: 'looks odd' } })],
  'ask without a question': [false, () => ({ decision: 'ask' })],
  'block: true': [false, () => ({ block: true, reason: 'another dialect' })],
  'allow and block': [false, () => ({ allow: true, block: true })],
  'allow as text': [false, () => ({ allow: 'yes' })],
  'two minds': [false, () => ({ decision: 'deny', allow: true })],
  true: [false, () => true],
  false: [false, () => false],
  no: [false, () => 'no'],
  null: [false, () => null],
  42: [false, () => 42],
  'a list': [false, () => [{ allow: true }]],
  'a throw': [
    false,
    () => {
      throw new Error('broken')
    },
  ],
  'a rejection': [false, () => Promise.reject(new Error('broken'))],
  'a promise of null': [false, async () => null],
  'a hang': [false, () => new Promise(() => {})],
}

const orders: Readonly<Record<string, HookOptions>> = {
  'before approvals': { before: ['approvals'] },
  'before all others': { stage: -10_000 },
  'after all others': { stage: 10_000 },
  'as it comes': {},
}

/** A listener for each shape, each of its own plugin, and a tool that notes what ran. */
async function start(options: HookOptions) {
  const ran: string[] = []
  const listeners = Object.entries(shapes).map(
    ([name, [, answer]], at): InlinePlugin => ({
      name: `listener-${at}`,
      setup: (ctx) =>
        void ctx.on(
          BeforeToolCall,
          ({ input }) => ((input as { shape: string }).shape === name ? (answer() as never) : undefined),
          options,
        ),
    }),
  )
  const shell: InlinePlugin = {
    name: 'shell',
    setup: (ctx) =>
      void ctx.add(
        Tools,
        defineTool<{ command: string; shape: string }>({
          name: 'shell',
          description: 'Runs.',
          input: z.object({ command: z.string(), shape: z.string() }),
          effect: 'once',
          toolset: 'test',
          reach: 'machine',
          acts: ({ command }) => ({ command }),
          run: async ({ command }) => String(ran.push(command)),
        }),
      ),
  }
  let wanted: object | undefined
  const fake = fakeProvider(() => {
    const input = wanted
    wanted = undefined
    return input ? { calls: [{ name: 'shell', input }] } : 'done'
  })
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['agent', 'approvals'],
    with: [...listeners, fake.plugin, shell],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    clock,
  })
  onTestFinished(() => kernel.stop())
  const call = async (command: string, shape: string) => {
    ran.length = 0
    wanted = { command, shape }
    const turn = runTurn(kernel)
    let isOver = false
    void turn.finally(() => {
      isOver = true
    })
    // The judge and the hard line work in real time, and their limits are of this clock: it must not run far ahead.
    while (shape === 'a hang' && !isOver) {
      await new Promise((resolve) => setTimeout(resolve, 30))
      await clock.advance(5000)
    }
    return { text: await turn, ran: [...ran] }
  }
  return { call, kernel }
}

async function runTurn(kernel: TestKernel): Promise<string> {
  const { id } = kernel.use(Sessions).create({ surface: 'test', cwd: '/srv/project' })
  const events = await collect(kernel.use(Agent).run({ sessionId: id, text: 'go', surface: 'test' }))
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  return events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : [])).join()
}

test.each(Object.entries(orders).filter((_, at) => isToday(at, 2)))(
  'a listener %s opens no gate, whatever it answers',
  async (_, options) => {
    const { call } = await start(options)
    const found: string[] = []
    for (const [shape, [isFine]] of Object.entries(shapes)) {
      const harmless = await call('ls', shape)
      if (harmless.ran.length !== (isFine ? 1 : 0)) found.push(`${shape}: ls ran ${harmless.ran.length} times`)
      if (!isFine && !/listener-\d+|no person is reachable/.test(harmless.text))
        found.push(`${shape}: no plugin is named`)
      const dangerous = await call('rm -r src', shape)
      if (dangerous.ran.length > 0) found.push(`${shape}: what a person must allow ran`)
      const never = await call('rm -rf /', shape)
      if (never.ran.length > 0 || !never.text.includes('no setting and no answer allows'))
        found.push(`${shape}: the hard line gave way: ${never.text}`)
    }
    expect(found).toEqual([])
  },
)
