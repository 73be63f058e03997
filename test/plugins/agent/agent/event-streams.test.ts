/** One stream over the turns of all sessions. */
import { Agent, type PluginContext, Sessions, type TurnEvent } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { collect } from '../../../support/scene.ts'

async function open(
  script: readonly ScriptedReply[] | (() => ScriptedReply),
  setup = (_: PluginContext<undefined>) => {},
) {
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent'],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    with: [fake.plugin, { name: 'watcher', requires: ['agent'], setup }],
  })
  onTestFinished(() => kernel.stop())
  const create = () => kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home }).id
  const run = (sessionId: string, text = 'go') => collect(kernel.use(Agent).run({ sessionId, text, surface: 'test' }))
  return { kernel, agent: kernel.use(Agent), create, run }
}

/** Reads until so many turns have ended. */
async function readTurns(stream: AsyncIterable<TurnEvent>, turns: number): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of stream) {
    seen.push(event)
    if (event.type === 'turn.end' && --turns === 0) break
  }
  return seen
}

test('turns of several sessions are in one stream, each event once and in order', async () => {
  const { agent, create, run } = await open(() => 'an answer')
  const [a, b] = [create(), create()]
  const stream = agent.events()
  const reading = readTurns(stream, 4)
  const [first, second] = await Promise.all([run(a), run(b)])
  const more = [await run(a, 'again'), await run(b, 'again')]
  const seen = await reading
  const of = (id: string) => seen.filter(({ sessionId }) => sessionId === id)
  expect(of(a)).toEqual([...first, ...(more[0] ?? [])])
  expect(of(b)).toEqual([...second, ...(more[1] ?? [])])
})

test('nothing is lost while no reader reads: not between two reads, and not before the first', async () => {
  const { agent, create, run } = await open(() => 'a rather long answer of several words')
  const id = create()
  await run(id, 'before')
  const stream = agent.events()
  const expected = [...(await run(id)), ...(await run(id))]
  const first = await stream.next()
  expected.push(...(await run(id)))
  // The journal keeps the pieces of a text until the next turn only; `message.complete` has all of it.
  const whole = (events: readonly TurnEvent[]) => events.filter(({ type }) => type !== 'message.delta')
  expect(whole([first.value as TurnEvent, ...(await readTurns(stream, 3))])).toEqual(whole(expected))
})

test('a session and types narrow it; a turn that cannot begin is in it, too', async () => {
  const { agent, create, run } = await open(() => 'an answer')
  const [a, b] = [create(), create()]
  const stream = agent.events({ sessionId: b, types: ['turn.end', 'error'] })
  await run(a)
  await run(b)
  await collect(agent.run({ sessionId: b, text: 'go', surface: 'test', provider: 'missing' }))
  const seen: string[] = []
  for await (const event of stream) {
    seen.push(event.type === 'error' ? event.code : event.reason)
    if (seen.length === 3) break
  }
  expect(seen).toEqual(['completed', expect.stringMatching(/MODEL|PROVIDER/), 'failed'])
})

test('it ends with its signal, with close, and when the loop is left', async () => {
  const { agent, create, run } = await open(() => 'an answer')
  const id = create()
  const control = new AbortController()
  const [aborted, closed] = [agent.events({ signal: control.signal }), agent.events()]
  const reading = [collect(aborted), collect(closed)]
  control.abort()
  closed.close()
  expect(await Promise.all(reading)).toEqual([[], []])
  expect(await collect(agent.events({ signal: control.signal }))).toEqual([])
  const left = agent.events()
  await run(id)
  for await (const event of left) if (event.type === 'turn.start') break
  expect(await left.next()).toEqual({ done: true, value: undefined })
})

test('a session that is removed before it is read is left out, and the stream goes on', async () => {
  const { agent, create, run, kernel } = await open(() => 'an answer')
  const [a, b] = [create(), create()]
  const stream = agent.events({ types: ['turn.end'] })
  await run(a)
  await kernel.use(Sessions).remove([a], { copy: false })
  await run(b)
  expect((await stream.next()).value).toMatchObject({ sessionId: b })
  stream.close()
})

test('a plugin reads what happens in all sessions', async () => {
  const texts: string[] = []
  let over: Promise<void> | undefined
  const { create, run, kernel } = await open(
    () => 'an answer',
    (ctx) =>
      ctx.onStart(() => {
        const read = async () => {
          for await (const { text } of ctx.use(Agent).events({ types: ['message.complete'] })) texts.push(text)
        }
        over = read()
      }),
  )
  await run(create())
  await run(create())
  await expect.poll(() => texts).toEqual(['an answer', 'an answer'])
  // It ends with its plugin.
  await kernel.stop()
  await over
})
