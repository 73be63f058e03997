/** Delegations that go on while the conversation does: their results come once, whatever happens meanwhile. */
import { Conversations, Sessions } from 'svc/sdk'
import { StatusItems } from 'svc/sdk/terminal'
import { virtualClock } from 'svc/sdk/testing'
import { type RpcCaller, RpcMethods } from 'svc/sdk/web'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { delegate, gate, stage } from './stage.ts'

const results = (texts: readonly string[]) => texts.filter((text) => text.startsWith('[Delegation '))
const WAIT = { timeout: 10_000 }
const rest = gate()

test('the conversation goes on, and the result of all tasks comes as one message of its own', async () => {
  const one = gate()
  const { talk, kernel, returned, fake } = await stage(
    {
      parent: [delegate({ tasks: [{ goal: 'a', context: 'of b' }, { goal: 'c' }] }), 'They work.', 'hi', 'So it is.'],
      child: (goal) => ({ text: `did ${goal}`, ...(goal === 'a' && { gate: one.promise }) }),
    },
    { stays: true },
  )
  await talk.type('go', 'hello')
  expect(returned()).toMatchObject({ status: 'dispatched', mode: 'background', count: 2, goals: ['a', 'c'] })
  expect(talk.answers()).toEqual(['They work.', 'hi'])
  one.open()
  await vi.waitFor(() => expect(talk.answers()).toEqual(['They work.', 'hi', 'So it is.']), WAIT)
  const session = kernel.use(Sessions).open(talk.conversation.sessionId)
  const told = results(session.messages().map(({ text }) => text))
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('2 of 2 tasks are completed')
  expect(told[0]).toMatch(
    /\*\*1\. a\*\* \(leaf\)\ncontext: of b\nstatus completed · exit_reason completed · model fake-1/,
  )
  expect(told[0]).toMatch(/\n\ndid a\n\n\*\*2\. c\*\* \(leaf\)[\s\S]*\n\ndid c$/)
  expect(told[0]?.startsWith(`[Delegation ${returned()['delegation_id']}]`)).toBe(true)
  const events = session.events().filter(({ type }) => type.startsWith('subagent'))
  expect(events.filter(({ type }) => type === 'subagent.complete')).toHaveLength(2)
  expect(fake.requests).toHaveLength(6)
})

test('a result that comes during a turn waits for its end, and one whose conversation is closed for the next opening', async () => {
  const [child, turn] = [gate(), gate()]
  const { talk, kernel, fake } = await stage(
    {
      parent: [delegate({ goal: 'a' }), 'It works.', { text: 'slow', gate: turn.promise }, 'Read.'],
      child: () => ({ text: 'did it', gate: child.promise }),
    },
    { stays: true },
  )
  await talk.type('go')
  const slow = talk.type('meanwhile')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(4), WAIT)
  child.open()
  await vi.waitFor(() => expect(talk.conversation.queue).toHaveLength(1), WAIT)
  const { sessionId } = talk.conversation
  await talk.conversation.close()
  turn.open()
  await slow
  expect(
    results(
      kernel
        .use(Sessions)
        .open(sessionId)
        .history()
        .map(({ text }) => text),
    ),
  ).toEqual([])
  const { front } = talk.conversation
  const again = kernel.use(Conversations).start(front, { cwd: kernel.home, sessionId })
  await vi.waitFor(
    () =>
      expect(
        results(
          kernel
            .use(Sessions)
            .open(sessionId)
            .history()
            .map(({ text }) => text),
        ),
      ).toHaveLength(1),
    WAIT,
  )
  await again.idle()
  await again.close()
  const third = kernel.use(Conversations).start(front, { cwd: kernel.home, sessionId })
  await third.idle()
  expect(
    results(
      kernel
        .use(Sessions)
        .open(sessionId)
        .history()
        .map(({ text }) => text),
    ),
  ).toHaveLength(1)
})

test('/stop ends what works in the background; the model reads what there was with the next message, and is not asked before', async () => {
  const { talk, kernel, fake } = await stage(
    {
      parent: [delegate({ goal: 'a' }), 'It works.', 'I see.'],
      child: () => ({ text: 'never', gate: new Promise(() => {}) }),
    },
    { stays: true },
  )
  await talk.type('go')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(3), WAIT)
  expect(await talk.type('/stop')).toBe('Stopped: 1 subagents.')
  const session = kernel.use(Sessions).open(talk.conversation.sessionId)
  await vi.waitFor(() => expect(results(session.messages().map(({ text }) => text))).toHaveLength(1), WAIT)
  expect(fake.requests).toHaveLength(3)
  await talk.type('and?')
  expect(results(fake.requests.at(-1)?.messages.map(({ text }) => text) ?? [])[0]).toContain('A person stopped it')
  expect(await talk.type('/stop')).toBe('Nothing is running.')
})

test('what svc stops goes on where it was once the conversation is opened again', async () => {
  const script = {
    parent: [delegate({ tasks: [{ goal: 'a' }, { goal: 'b' }] }), 'They work.'],
    child: (goal: string) => (goal === 'a' ? 'did a' : { text: 'never', gate: new Promise(() => {}) }),
  }
  const home = temporaryFolder()
  const first = await stage(script, { stays: true, home })
  await first.talk.type('go')
  await vi.waitFor(() => expect(first.fake.requests).toHaveLength(4), WAIT)
  const { sessionId } = first.talk.conversation
  const session = first.kernel.use(Sessions).open(sessionId)
  await vi.waitFor(
    () => expect(session.events().filter(({ type }) => type === 'subagent.complete')).toHaveLength(1),
    WAIT,
  )
  await first.kernel.stop()
  const asked: string[] = []
  const second = await stage(
    {
      parent: ['Both are done.'],
      child: (goal, _, { messages }) => {
        asked.push(goal, messages.at(-1)?.text ?? '')
        return `did ${goal}`
      },
    },
    { stays: true, home, sessionId },
  )
  await vi.waitFor(() => expect(second.talk.answers()).toEqual(['Both are done.']), WAIT)
  expect(asked).toEqual(['b', expect.stringMatching(/svc was restarted/)])
  const told = results(
    second.kernel
      .use(Sessions)
      .open(sessionId)
      .messages()
      .map(({ text }) => text),
  )
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/2 of 2 tasks are completed[\s\S]*did a[\s\S]*did b/)
})

test('a conversation that began in the background all that it may waits for more', async () => {
  const { talk, returned } = await stage(
    {
      parent: [delegate({ goal: 'a' }), 'It works.', delegate({ goal: 'b' }), 'done'],
      child: (goal) => (goal === 'a' ? { text: 'never', gate: new Promise(() => {}) } : 'did b'),
    },
    { stays: true, config: { delegation: { max_concurrent_children: 1 } } },
  )
  await talk.type('go')
  const turn = talk.type('more')
  await vi.waitFor(() => expect(talk.events.filter((event) => event.type === 'tool.start')).toHaveLength(2), WAIT)
  await talk.type('/stop')
  await turn
  expect(returned()).toBeDefined()
})

test('subagents at work are listed for people and programs, and one of them is stopped by its id', async () => {
  const { talk, kernel, fake } = await stage(
    {
      parent: [
        delegate({ tasks: [{ goal: 'a' }, { goal: 'b' }] }),
        'They work.',
        'One is done.',
        delegate({ goal: 'c' }),
        'well',
      ],
      child: (goal) =>
        goal === 'a' ? { text: 'never', gate: new Promise(() => {}) } : { text: 'did', gate: rest.promise },
    },
    { stays: true },
  )
  const call = (name: string, params: object = {}) =>
    kernel
      .all(RpcMethods)
      .get(name)
      ?.run(params, {} as RpcCaller) as Record<string, unknown>
  await talk.type('go')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(4), WAIT)
  expect(kernel.all(StatusItems).get('subagents')?.line(talk.conversation)).toEqual([{ text: '⇉ 2', role: 'status' }])
  const { active, ...limits } = call('delegation.status')
  expect(limits).toEqual({ paused: false, max_spawn_depth: 1, max_concurrent_children: 3 })
  const [one] = active as { subagent_id: string; goal: string }[]
  expect(active).toMatchObject([
    { goal: 'a', depth: 0, parent_id: null, model: 'fake-1', status: 'running', tool_count: 0, last_tool: null },
    { goal: 'b' },
  ])
  expect(await talk.type('/agents')).toMatch(new RegExp(`^- \`${one?.subagent_id}\` .*, 0 tool calls: a\\n- \`sa-1-`))
  expect(await talk.type('/agents interrupt')).toMatch(/Which one\?/)
  expect(call('subagent.interrupt', { subagent_id: 'sa-9-00000000' })).toEqual({
    found: false,
    subagent_id: 'sa-9-00000000',
  })
  expect(await talk.type(`/agents interrupt ${one?.subagent_id}`)).toBe(`Stopping ${one?.subagent_id}.`)
  rest.open()
  await vi.waitFor(() => expect(talk.answers().at(-1)).toBe('One is done.'), WAIT)
  const messages = kernel.use(Sessions).open(talk.conversation.sessionId).messages()
  expect(results(messages.map(({ text }) => text))[0]).toMatch(
    /1 of 2 tasks[\s\S]*status interrupted[\s\S]*status completed/,
  )
  const { trees } = (await call('spawn_tree.list', { session_id: talk.conversation.sessionId })) as { trees: object[] }
  expect(trees).toMatchObject([
    {
      mode: 'background',
      children: [
        { goal: 'a', result: { status: 'interrupted' } },
        { goal: 'b', delegations: [] },
      ],
    },
  ])
  expect(call('delegation.pause', { paused: true })).toEqual({ paused: true })
  await talk.type('more')
  expect(talk.events.findLast((event) => event.type === 'tool.complete')).toMatchObject({
    ok: false,
    text: expect.stringMatching(/A person has paused subagents/),
  })
})

test('another process does not take what is at work in one that lives, and what was there too long ends with what it has', async () => {
  const home = temporaryFolder()
  const clock = virtualClock()
  const script = {
    parent: [delegate({ goal: 'a' }), 'It works.', 'So it is.'],
    child: () => ({ text: 'never', gate: new Promise(() => {}) }),
  }
  const first = await stage(script, { stays: true, home, clock, config: { delegation: { child_timeout_seconds: 40 } } })
  await first.talk.type('go')
  await vi.waitFor(() => expect(first.fake.requests).toHaveLength(3), WAIT)
  const { sessionId } = first.talk.conversation
  const second = await stage(script, { stays: true, home, clock, sessionId })
  await clock.advance(30_000)
  expect(second.fake.requests).toHaveLength(0)
  await clock.advance(11_000)
  await vi.waitFor(() => expect(first.talk.answers().at(-1)).toBe('So it is.'), WAIT)
  const messages = first.kernel.use(Sessions).open(sessionId).messages()
  expect(results(messages.map(({ text }) => text))).toEqual([
    expect.stringMatching(
      /0 of 1 tasks[\s\S]*status timeout · exit_reason interrupted[\s\S]*error: It was stopped after 40 s/,
    ),
  ])
  expect(second.fake.requests).toHaveLength(0)
})
