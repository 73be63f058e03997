import { AuxiliaryModels, Models, SvcError, type Usage } from 'svc/sdk'
import {
  type AuxiliaryRequest,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  Providers,
} from 'svc/sdk/provider'
import { type BudgetScope, Budgets } from 'svc/sdk/safety'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

/** What a model does when it is asked: it says a text, fails, or hears nothing but its signal. */
type Reply = string | Partial<ModelFailure> | 'silence' | readonly ModelEvent[]

interface Given {
  /** By provider; the last reply is repeated. */
  readonly replies?: Record<string, readonly Reply[]>
  readonly auxiliary?: Record<string, unknown>
  readonly main?: string
  readonly images?: Record<string, boolean>
  /** What the budgets say to a spender. */
  readonly budget?: (spender: BudgetScope) => void
}

const silence = 'silence'

async function open({ replies = { main: ['Fine.'] }, auxiliary = {}, main = 'main', images = {}, budget }: Given = {}) {
  const clock = virtualClock()
  const asked: string[] = []
  const requests: ModelRequest[] = []
  const money: string[] = []
  const left = new Map(Object.entries(replies).map(([name, list]) => [name, [...list]]))
  async function* stream(name: string, request: ModelRequest): AsyncGenerator<ModelEvent> {
    asked.push(`${name} ${request.model}`)
    requests.push(request)
    const list = left.get(name) ?? []
    const reply = (list.length > 1 ? list.shift() : list[0]) ?? ''
    if (reply === silence) {
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve, { once: true }))
      yield { type: 'failed', failure: { kind: 'aborted', message: 'The call was interrupted.', retryable: false } }
    } else if (Array.isArray(reply)) yield* reply as readonly ModelEvent[]
    else if (typeof reply === 'string') {
      yield { type: 'text', text: reply }
      yield { type: 'usage', usage: { input: 3, output: 1 } }
      yield { type: 'end', reason: 'stop' }
    } else
      yield {
        type: 'failed',
        failure: { kind: 'server', message: 'It broke.', retryable: false, ...reply } as ModelFailure,
      }
  }
  const names = [...left.keys()]
  const kernel = await testKernel({
    plugins: ['auxiliary'],
    clock,
    config: { auxiliary, plugins: { disabled: ['models', 'budgets'] } },
    with: [
      {
        name: 'fake-models',
        provides: ['models', ...(budget ? ['budgets'] : [])],
        contributes: { providers: names },
        setup(ctx) {
          for (const name of names)
            ctx.add(Providers, {
              name,
              label: name,
              status: async () => ({ ready: true, detail: 'fake' }),
              models: async () => [],
              stream: (request) => stream(name, request),
            })
          ctx.provide(Models, () => ({
            async choose(wanted) {
              const provider = ctx.all(Providers).get(wanted?.provider ?? main)
              if (!provider) throw new SvcError('MODEL_PROVIDER_UNKNOWN', `There is no "${wanted?.provider}".`)
              const source = provider.name === 'demo' ? 'demo' : 'configured'
              return { provider, model: wanted?.model ?? 'large', source, notes: [] }
            },
            similar: async () => undefined,
            fallbacks: async () => [],
            list: async () => [],
            describe: ({ provider, model }) => ({
              id: model,
              ...(images[provider] === undefined ? {} : { images: images[provider] }),
            }),
          }))
          if (budget)
            ctx.provide(Budgets, () => ({
              summarize: () => [],
              open: () => {
                throw new Error('no work is begun here')
              },
              reserve() {
                throw new Error('calls of models are reserved over all machines')
              },
              async hold(spender, estimate) {
                budget(spender)
                money.push(`hold ${spender.provider} ${spender.purpose} ${JSON.stringify(estimate)}`)
                let isOpen = true
                const release = () => {
                  if (isOpen) money.push('release')
                  isOpen = false
                }
                return {
                  settle(usage: Usage) {
                    isOpen = false
                    money.push(`settle ${JSON.stringify(usage)}`)
                    return { ...usage, costUsd: 0.5 }
                  },
                  release,
                  [Symbol.dispose]: release,
                }
              },
              countTool: () => {},
              limit: () => {},
              spent: () => ({ modelCalls: 0, toolCalls: 0 }),
            }))
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const work = kernel.use(AuxiliaryModels)
  const ask = (more: Partial<AuxiliaryRequest> = {}) =>
    work.ask({ slot: 'title', messages: [{ role: 'user', text: 'Name this.' }], ...more })
  return { kernel, clock, work, ask, asked, requests, money }
}

test('a slot that no one configured is done by the model of the chat', async () => {
  const { ask, asked, requests } = await open()
  expect(await ask({ temperature: 0, maxOutputTokens: 16 })).toEqual({
    text: 'Fine.',
    provider: 'main',
    model: 'large',
    usage: { input: 3, output: 1 },
  })
  expect(asked).toEqual(['main large'])
  expect(requests[0]).toMatchObject({ temperature: 0, maxOutputTokens: 16, tools: [] })
})

test('nothing asks a model before someone asks for side work', async () => {
  const { kernel, clock, asked } = await open()
  await clock.advance(24 * 60 * 60_000)
  await kernel.stop()
  expect(asked).toEqual([])
})

test('the model of the slot comes first, then its chain, then that of the chat, each once', async () => {
  const { ask, asked } = await open({
    replies: {
      main: [{ message: 'Main broke.' }],
      small: [{ message: 'Small broke.' }],
      other: [{ message: 'Other broke.' }],
    },
    auxiliary: {
      title: {
        provider: 'small',
        model: 's1',
        reasoning: 'low',
        fallback_chain: [
          { provider: 'other', model: 'o1' },
          { provider: 'nobody', model: 'n1' },
          { provider: 'main', model: 'large' },
        ],
      },
    },
  })
  await expect(ask()).rejects.toMatchObject({
    code: 'AUXILIARY_FAILED',
    message:
      'No model did the work of title. s1 of small: Small broke. o1 of other: Other broke. There is no "nobody". large of main: Main broke.',
  })
  expect(asked).toEqual(['small s1', 'other o1', 'main large'])
})

test('a slot may have its own model at the provider of the chat, and settings', async () => {
  const { ask, asked, requests } = await open({
    auxiliary: { title: { model: 'mini', temperature: 0.3, reasoning: 'none' } },
  })
  await ask()
  expect(asked).toEqual(['main mini'])
  expect(requests[0]).toMatchObject({ temperature: 0.3, reasoning: 'none' })
})

test('what failed in passing is tried twice more, later each time', async () => {
  const busy = { kind: 'overloaded', message: 'It is busy.', retryable: true } as const
  const { ask, asked, clock } = await open({ replies: { main: [busy, busy, 'At last.'] } })
  const asking = ask()
  await clock.advance(1999)
  expect(asked).toHaveLength(1)
  await clock.advance(1001)
  expect(asked).toHaveLength(2)
  await clock.advance(6000)
  expect(await asking).toMatchObject({ text: 'At last.' })
})

test('a wait that is longer than the work may take is not waited for', async () => {
  const later = { kind: 'rate-limit', message: 'Later.', retryable: true, retryAfterMs: 31_000 } as const
  const { ask, asked } = await open({
    replies: { main: ['Fine.'], small: [later] },
    auxiliary: { title: { provider: 'small', model: 's1' } },
  })
  expect(await ask()).toMatchObject({ provider: 'main' })
  expect(asked).toEqual(['small s1', 'main large'])
})

test('a model that is silent is left when the time of its slot is over', async () => {
  const { ask, clock, asked } = await open({
    replies: { main: ['Fine.'], small: [silence] },
    auxiliary: { vision: { provider: 'small', model: 's1' } },
  })
  const asking = ask({ slot: 'vision' })
  await clock.advance(119_999)
  expect(asked).toEqual(['small s1'])
  await clock.advance(1)
  expect(await asking).toMatchObject({ provider: 'main' })
  expect(clock.pending()).toBe(0)
})

test('a provider that wants to be paid is not asked again for ten minutes', async () => {
  const { ask, clock, asked } = await open({
    replies: { main: ['Fine.'], small: [{ kind: 'billing', message: 'Pay.' }, 'Paid.'] },
    auxiliary: { title: { provider: 'small', model: 's1' } },
  })
  expect(await ask()).toMatchObject({ provider: 'main' })
  await clock.advance(9 * 60_000)
  expect(await ask()).toMatchObject({ provider: 'main' })
  expect(asked).toEqual(['small s1', 'main large', 'main large'])
  await clock.advance(60_000)
  expect(await ask()).toMatchObject({ provider: 'small', text: 'Paid.' })
})

test('pictures are not sent to a model that is known not to read them', async () => {
  const { ask, asked } = await open({
    replies: { main: ['A cat.'], small: ['What?'] },
    auxiliary: { vision: { provider: 'small', model: 's1' } },
    images: { small: false },
  })
  const messages = [{ role: 'user', text: 'What is this?', images: [{ mediaType: 'image/png', data: '' }] }] as const
  expect(await ask({ slot: 'vision', messages })).toMatchObject({ text: 'A cat.' })
  expect(asked).toEqual(['main large'])
})

test.for([
  ['says nothing', '  ', 'It said nothing.'],
  [
    'thinks until its limit',
    [{ type: 'end', reason: 'length' }],
    'It said nothing before its output limit was used up.',
  ],
  ['is held back', [{ type: 'end', reason: 'filtered' }], 'It said nothing: the service held its answer back.'],
] as const)('a model that %s has failed', async ([, reply, message]) => {
  const { ask } = await open({ replies: { main: [reply as Reply] } })
  await expect(ask()).rejects.toMatchObject({ code: 'AUXILIARY_FAILED', message: expect.stringContaining(message) })
})

test('the demo is never asked: without a model that is said', async () => {
  const { ask, asked } = await open({ replies: { demo: ['Hello!'] }, main: 'demo' })
  await expect(ask()).rejects.toMatchObject({
    code: 'AUXILIARY_MISSING',
    message: expect.stringMatching(/^no auxiliary client configured.*svc model aux set title/),
  })
  expect(asked).toEqual([])
})

test('anyone who asked can stop it', async () => {
  const { ask, asked, clock } = await open({ replies: { main: [silence] } })
  const stop = new AbortController()
  const asking = ask({ signal: stop.signal })
  await clock.advance(0)
  stop.abort(new Error('never mind'))
  await expect(asking).rejects.toThrow('never mind')
  await expect(ask({ signal: stop.signal })).rejects.toThrow('never mind')
  expect(asked).toHaveLength(1)
  expect(clock.pending()).toBe(0)
})

test('money is held before each call, settled for what was begun and given back for what was not', async () => {
  const { ask, money } = await open({
    replies: {
      main: ['Fine.'],
      cut: [
        [
          { type: 'text', text: 'half' },
          { type: 'failed', failure: { kind: 'cut', message: 'Cut.', retryable: false } },
        ],
      ],
      shut: [{ message: 'Shut.' }],
    },
    auxiliary: { title: { provider: 'shut', model: 'm', fallback_chain: [{ provider: 'cut', model: 'm' }] } },
    budget: () => {},
  })
  expect(await ask({ maxOutputTokens: 20 })).toMatchObject({ usage: { input: 3, output: 1, costUsd: 0.5 } })
  const held = '{"inputTokens":3,"outputTokens":20}'
  expect(money).toEqual([
    `hold shut title ${held}`,
    'release',
    `hold cut title ${held}`,
    'settle {}',
    `hold main title ${held}`,
    'settle {"input":3,"output":1}',
  ])
})

test('a used-up budget ends the work before a model is asked', async () => {
  const seen: BudgetScope[] = []
  const { ask, asked } = await open({
    budget(spender) {
      seen.push(spender)
      throw new SvcError('BUDGET_EXCEEDED', 'There is no money left.')
    },
  })
  await expect(ask({ sessionId: 's', turnId: 't' })).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  expect(seen).toEqual([{ sessionId: 's', turnId: 't', purpose: 'title', provider: 'main', model: 'large' }])
  expect(asked).toEqual([])
})

test('every slot has its time, and slots of other plugins are known once they are configured', async () => {
  const { work } = await open({ auxiliary: { transient_retries: 0, mine: { provider: 'small', model: 's1' } } })
  const seconds = Object.fromEntries(work.slots().map(({ slot, timeoutMs }) => [slot, timeoutMs / 1000]))
  expect(seconds).toEqual({
    vision: 120,
    web_extract: 360,
    compression: 120,
    title: 30,
    goal_judge: 30,
    profile_describer: 60,
    kanban_decomposer: 180,
    triage_specifier: 120,
    skills_hub: 30,
    curator: 600,
    approval: 30,
    mine: 30,
  })
  expect(work.slots().at(-1)).toEqual({ slot: 'mine', provider: 'small', model: 's1', timeoutMs: 30_000 })
})

test('a model that the work prefers is asked before that of its slot, which does the work when the other fails', async () => {
  const { ask, asked } = await open({
    replies: { main: ['Fine.'], small: ['Small.'], odd: [{ kind: 'server' }] },
    auxiliary: { title: { provider: 'small', model: 's1' } },
  })
  expect((await ask({ prefer: { provider: 'odd', model: 'o1' } })).text).toBe('Small.')
  expect(asked).toEqual(['odd o1', 'small s1'])
})
