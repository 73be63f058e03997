/** Plugins have a say in which model answers: before one is resolved, and before another one takes over. */
import { Agent, AuxiliaryModels, type PluginContext, Sessions } from 'svc/sdk'
import { BeforeModelCall, ModelChanged } from 'svc/sdk/hooks'
import { BeforeModelChange, type ModelSelectionContext, SelectModel } from 'svc/sdk/sessions'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { collect } from '../../../support/scene.ts'

const refused = { failure: { kind: 'auth', message: 'The key was refused.', retryable: false } } as const

async function open(
  script: readonly ScriptedReply[],
  setup: (ctx: PluginContext<undefined>) => void,
  config: Record<string, unknown> = {},
) {
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent', 'auxiliary', 'conversation', 'model-cli'],
    config: {
      model: { provider: 'fake', default: 'fake-1', ...(config['model'] as object) },
      ...(config['more'] as object),
    },
    with: [fake.plugin, { name: 'acme', setup }],
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const run = (text = 'hello') =>
    collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test', purpose: 'scheduled' }))
  const ask = () =>
    kernel.use(AuxiliaryModels).ask({ slot: 'title', sessionId: session.id, messages: [{ role: 'user', text: 'x' }] })
  const models = () => fake.requests.map(({ model }) => model)
  return { kernel, fake, session, run, ask, models }
}

test('a listener chooses the model of a turn by what is written, and the configured one answers the rest', async () => {
  const seen: ModelSelectionContext[] = []
  const { run, models, session } = await open(['one', 'two'], (ctx) => {
    ctx.on(SelectModel, (selection, context) => {
      seen.push(context)
      return context.text?.startsWith('prove') ? { ...selection, model: 'fake-large' } : undefined
    })
  })
  const events = await run('prove it')
  await run('hello')
  expect(models()).toEqual(['fake-large', 'fake-1'])
  expect(events).toContainEqual(expect.objectContaining({ type: 'turn.start', model: 'fake-large' }))
  expect(seen[0]).toEqual({
    purpose: 'turn',
    sessionId: session.id,
    turnId: events[0]?.turnId,
    turnPurpose: 'scheduled',
    surface: 'test',
    text: 'prove it',
  })
})

test('a provider that does not exist fails the turn with the reason, and a value that is none counts as no choice', async () => {
  const answers: unknown[] = [{ provider: 'nowhere' }, { model: '' }]
  const { run, models, kernel } = await open(['fine'], (ctx) => {
    ctx.on(SelectModel, () => answers.shift() as object)
  })
  expect(await run()).toContainEqual(expect.objectContaining({ type: 'error', code: 'MODEL_PROVIDER_UNKNOWN' }))
  await run()
  expect(models()).toEqual(['fake-1'])
  expect(kernel.problems()).toMatchObject([{ plugin: 'acme', message: expect.stringContaining('model:selecting') }])
})

test('side work is done by the model that a listener names, and by the configured one where that fails', async () => {
  const slots: string[] = []
  const { ask, models } = await open(['A title', refused, 'Another title'], (ctx) => {
    ctx.on(SelectModel, (selection, { purpose }) => {
      slots.push(purpose)
      return { ...selection, model: 'fake-small' }
    })
  })
  expect(await ask()).toMatchObject({ text: 'A title', model: 'fake-small' })
  expect(await ask()).toMatchObject({ text: 'Another title', model: 'fake-1' })
  expect(models()).toEqual(['fake-small', 'fake-small', 'fake-1'])
  expect(slots).toEqual(['title', 'title'])
})

test('a person chooses another model, unless a plugin denies it or the person does not confirm', async () => {
  let verdict: 'deny' | 'ask' | 'throw' | undefined
  const changes: unknown[] = []
  const { kernel } = await open([], (ctx) => {
    ctx.on(BeforeModelChange, ({ conversation: _, ...change }) => {
      changes.push(change)
      if (verdict === 'throw') throw new Error('a defect')
      if (verdict === 'deny') return { decision: 'deny', reason: 'only fake-1 is paid for' }
      return verdict && { decision: 'ask', question: { reason: 'costs ten times as much' } }
    })
  })
  const talk = fakeTalk(kernel, { person: { confirm: false } })
  await talk.type('/model fake-2')
  expect(talk.conversation.settings.model).toBe('fake-2')
  const { sessionId } = talk.conversation
  expect(changes).toEqual([{ sessionId, from: {}, to: { provider: 'fake', model: 'fake-2' }, reason: 'chosen' }])
  for (const [next, why] of [
    ['deny', 'only fake-1 is paid for'],
    ['ask', 'it was not confirmed'],
    ['throw', 'a check of the change failed'],
  ] as const) {
    verdict = next
    expect(await talk.type('/model fake-3'), next).toContain(`The model was not changed: ${why}`)
    expect(await talk.type('/model fake-3 --global'), next).toContain(`The model was not changed: ${why}`)
    expect(talk.conversation.settings.model).toBe('fake-2')
  }
  verdict = undefined
  changes.length = 0
  await talk.type('/model fake-2')
  expect(changes).toEqual([])
})

test('a fallback that a plugin denies is left out, and the turn says why', async () => {
  const changed: unknown[] = []
  const { run, models } = await open(
    [refused, 'from the third'],
    (ctx) => {
      ctx.on(BeforeModelChange, ({ to, reason }) =>
        reason === 'fallback' && to.model === 'fake-2' ? { decision: 'deny', reason: 'fake-2 is abroad' } : undefined,
      )
      ctx.on(ModelChanged, ({ from, to }) => void changed.push([from.model, to.model]))
    },
    {
      model: {
        fallbacks: [
          { provider: 'fake', model: 'fake-2' },
          { provider: 'fake', model: 'fake-3' },
        ],
      },
    },
  )
  const events = await run()
  expect(models()).toEqual(['fake-1', 'fake-3'])
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'notice', text: 'The model was not changed: fake-2 is abroad.' }),
  )
  expect(changed).toEqual([['fake-1', 'fake-3']])
})

test('headers that no service could read are the fault of the listener, and the call is made without them', async () => {
  const { run, fake, kernel } = await open(['fine', 'fine'], (ctx) => {
    const given: Record<string, string>[] = [{ 'x-bad': 'a\r\nhost: evil' }, { 'x-good': 'yes' }]
    ctx.on(BeforeModelCall, (request) => ({ ...request, headers: given.shift() ?? {} }))
  })
  await run()
  await run()
  expect(fake.requests.map(({ headers }) => headers)).toEqual([undefined, { 'x-good': 'yes' }])
  expect(kernel.problems()).toMatchObject([{ plugin: 'acme' }])
})
