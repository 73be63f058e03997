import { Agent, defineTool, Sessions, Tools, TurnEnded, type TurnEvent } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

async function started(script: readonly ScriptedReply[], onEnd: () => void | Promise<void> = () => {}) {
  const fake = fakeProvider(script)
  let begun = () => {}
  let finish = () => {}
  const began = new Promise<void>((resolve) => {
    begun = resolve
  })
  const gate = new Promise<void>((resolve) => {
    finish = resolve
  })
  const slow = defineTool({
    name: 'slow',
    description: 'waits until the test lets it go',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    async run(_, { signal }) {
      begun()
      await Promise.race([gate, new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))])
      return 'waited'
    },
  })
  const kernel = await testKernel({
    plugins: ['agent'],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    with: [
      fake.plugin,
      {
        name: 'slow',
        setup(ctx) {
          ctx.add(Tools, slow)
          ctx.on(TurnEnded, onEnd)
        },
      },
    ],
  })
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const agent = kernel.use(Agent)
  const run = (text: string, whenBusy: 'refuse' | 'queue' | 'interrupt' = 'refuse') =>
    collect(agent.run({ sessionId: session.id, text, surface: 'test', whenBusy }))
  return { kernel, fake, agent, session, run, began, finish }
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

const reasons = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'turn.end' ? [event.reason] : []))
const callSlow: ScriptedReply = { calls: [{ name: 'slow' }] }

test('a second message while the first is worked on is refused, unless it may wait', async () => {
  const { agent, session, run, began, finish, fake, kernel } = await started([callSlow, 'first', 'second', 'third'])
  const first = run('one')
  await began
  expect(agent.busy(session.id)).toBe(true)
  await expect(run('not now')).rejects.toMatchObject({ code: 'AGENT_BUSY' })
  const waiting = [run('two', 'queue'), run('three', 'queue')]
  finish()
  expect(reasons(await first)).toEqual(['completed'])
  await Promise.all(waiting)
  const said = fake.requests.at(-1)?.messages.filter(({ role }) => role === 'user')
  expect(said?.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  expect(agent.busy(session.id)).toBe(false)
  await kernel.stop()
})

test('an interrupt stops the turn, keeps what was shown, and lets the next message in', async () => {
  const { run, began, session, kernel } = await started([callSlow, 'second'])
  const first = run('one')
  await began
  const second = run('rather this', 'interrupt')
  expect(reasons(await first)).toEqual(['interrupted'])
  expect(reasons(await second)).toEqual(['completed'])
  expect(session.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  await kernel.stop()
})

test('a word to a running turn comes with its next tool result', async () => {
  const { agent, session, run, began, finish, fake, kernel } = await started([callSlow, 'understood'])
  expect(agent.steer(session.id, 'nobody listens')).toBe(false)
  const turn = run('one')
  await began
  expect(agent.steer(session.id, 'use the blue one')).toBe(true)
  finish()
  const events = await turn
  expect(events.filter(({ type }) => type === 'steer')).toMatchObject([{ text: 'use the blue one' }])
  expect(fake.requests[1]?.messages.at(-1)?.text).toContain('[The user says meanwhile: use the blue one]')
  await kernel.stop()
})

test('a word that comes while the answer is written makes the turn continue', async () => {
  const gate = deferred()
  const { agent, session, run, fake, kernel } = await started([{ text: 'red', gate: gate.promise }, 'blue'])
  const turn = run('which?')
  while (!fake.requests.length) await new Promise((resolve) => setImmediate(resolve))
  agent.steer(session.id, 'not red')
  gate.resolve(undefined)
  expect(reasons(await turn)).toEqual(['completed'])
  expect(session.messages().map(({ text }) => text)).toEqual(['which?', 'red', 'not red', 'blue'])
  await kernel.stop()
})

test('a word that comes after the last answer is not taken, so that it becomes its own message', async () => {
  const [ending, gate] = [deferred(), deferred()]
  const { agent, session, run, kernel } = await started(['red'], () => {
    ending.resolve(undefined)
    return gate.promise as Promise<void>
  })
  const turn = run('which?')
  await ending.promise
  expect(agent.busy(session.id)).toBe(true)
  expect(agent.steer(session.id, 'not red')).toBe(false)
  gate.resolve(undefined)
  await turn
  await kernel.stop()
})

test('a word to a turn that fails stays in the conversation; one to a turn that is stopped does not', async () => {
  const gate = deferred()
  const failing = await started([{ gate: gate.promise, failure: { kind: 'invalid', message: 'no', retryable: false } }])
  const first = failing.run('one')
  while (!failing.fake.requests.length) await new Promise((resolve) => setImmediate(resolve))
  expect(failing.agent.steer(failing.session.id, 'use the blue one')).toBe(true)
  gate.resolve(undefined)
  expect(reasons(await first)).toEqual(['failed'])
  expect(failing.session.messages().at(-1)).toMatchObject({ role: 'user', text: 'use the blue one' })
  await failing.kernel.stop()

  const stopped = await started([callSlow])
  const second = stopped.run('one')
  await stopped.began
  stopped.agent.steer(stopped.session.id, 'use the blue one')
  stopped.agent.interrupt(stopped.session.id)
  expect(reasons(await second)).toEqual(['interrupted'])
  expect(stopped.session.messages().at(-1)?.role).not.toBe('user')
  await stopped.kernel.stop()
})

test('a front end that comes later follows from any place without a gap', async () => {
  const { agent, session, run, began, finish, kernel } = await started([callSlow, 'done'])
  const turn = run('one')
  await began
  const followed = collect(agent.follow(session.id, 2))
  finish()
  const events = await turn
  expect(await followed).toEqual(events.slice(2))
  expect(await collect(agent.follow(session.id, 4))).toEqual(events.slice(4))
  await kernel.stop()
})

test('a turn without new words continues from the last message, but not from its own', async () => {
  const { agent, session, run, kernel } = await started(['answer', 'more'])
  await run('question')
  await expect(collect(agent.run({ sessionId: session.id, surface: 'test' }))).rejects.toMatchObject({
    code: 'AGENT_NOTHING_TO_DO',
  })
  session.record({ turnId: 'x', events: [], messages: [{ role: 'user', text: 'and?' }] })
  expect(reasons(await collect(agent.run({ sessionId: session.id, surface: 'test' })))).toEqual(['completed'])
  expect(session.messages().at(-1)?.text).toBe('more')
  await kernel.stop()
})

test('a server that counts its calls again in each answer does not confuse anyone', async () => {
  const again: ScriptedReply = { calls: [{ id: 'call_0', name: 'slow' }] }
  const { fake, session, run, finish, kernel } = await started([again, again, 'done', again, 'done'])
  finish()
  await run('one')
  await run('two')
  const ids = session.messages().flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
  expect(ids).toEqual(['call_0', 'call_0_2', 'call_0_3'])
  expect(fake.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3)
  await kernel.stop()
})

function deferred() {
  let resolve: (value: unknown) => void = () => {}
  const promise = new Promise<unknown>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
