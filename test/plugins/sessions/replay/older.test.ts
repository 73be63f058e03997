/** Recordings of before events carried refusals, retries and switches of the model as data are replayed like new ones. */
import { Agent, BeforeToolCall, defineTool, type PluginContext, Sessions, Tools, type TurnEvent } from 'svc/sdk'
import type { SessionArchive } from 'svc/sdk/sessions'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const look = defineTool({
  name: 'look',
  description: 'Look',
  input: z.object({ at: z.object({ line: z.number() }), what: z.string() }),
  effect: 'pure',
  toolset: 'test',
  reach: 'nothing',
  run: async () => 'seen',
})

/** A tool, and a gate that denies what names a secret. */
const guarded = {
  name: 'guarded',
  contributes: { tools: ['look'] },
  setup(ctx: PluginContext<undefined>) {
    ctx.add(Tools, look)
    ctx.on(BeforeToolCall, ({ input }) =>
      (input as { what?: string }).what === 'secret' ? { decision: 'deny', reason: 'it is a secret' } : undefined,
    )
  },
}

const calls = (input: object, name = 'look'): ScriptedReply => ({ calls: [{ name, input }] })
const failure = (kind: string, retryable: boolean) => ({ failure: { kind, message: 'The server is down.', retryable } })
const script = [
  calls({ at: { line: 1 }, what: 'door' }, 'listen'),
  calls({ at: { line: 'x' } }),
  calls({ at: { line: 1 }, what: 'secret' }),
  failure('server', true),
  failure('auth', false),
  'Done.',
] as readonly ScriptedReply[]

async function recorded() {
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent', 'replay'],
    with: [fake.plugin, guarded],
    config: { model: { provider: 'fake', default: 'one', fallbacks: [{ provider: 'fake', model: 'two' }] } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const events: TurnEvent[] = []
  for await (const event of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
    events.push(event)
  return { kernel, events, archive: kernel.use(Sessions).export(session.id) }
}

test('events say as data why a call did not run, that a request is made again, and who answers instead', async () => {
  const { kernel, events } = await recorded()
  const refusals = events.flatMap((event) => (event.type === 'tool.complete' && event.refusal ? [event.refusal] : []))
  expect(refusals).toMatchObject([
    { kind: 'unknown-tool' },
    { kind: 'arguments', issues: [{ path: 'at.line' }, { path: 'what' }] },
    { kind: 'denied', reason: 'it is a secret (guarded)' },
  ])
  expect(events.find((event) => event.type === 'notice' && event.retry)).toMatchObject({ retry: { attempt: 1 } })
  expect(events.find((event) => event.type === 'notice' && event.fallback)).toMatchObject({
    fallback: { model: 'two' },
  })
  expect(await kernel.run(['replay', 'last'])).toMatchObject({ code: 0, out: expect.stringContaining('the same') })
})

test('a recording without that data is read from the words of its time, and comes out the same', async () => {
  const { kernel, archive } = await recorded()
  const id = `${archive.session.id}_older`
  const text = JSON.stringify(archive, (key, value) =>
    ['refusal', 'retry', 'fallback'].includes(key) ? undefined : value,
  )
  const older = JSON.parse(text.replaceAll(archive.session.id, id)) as SessionArchive
  kernel.use(Sessions).import(older)
  const { code, out } = await kernel.run(['replay', id])
  expect([code, out]).toEqual([0, expect.stringContaining('the same byte for byte')])
})

test('a recording that has the data is compared with it', async () => {
  const { kernel, archive } = await recorded()
  const id = `${archive.session.id}_other`
  const text = JSON.stringify(archive).replaceAll('"kind":"unknown-tool"', '"kind":"interrupted"')
  kernel.use(Sessions).import(JSON.parse(text.replaceAll(archive.session.id, id)) as SessionArchive)
  expect(await kernel.run(['replay', id])).toMatchObject({ code: 1 })
})
