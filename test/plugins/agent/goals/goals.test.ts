import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { Agent, Sessions } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import { BackgroundProcesses } from 'svc/sdk/shell'
import { ManagedDatabase, Storage } from 'svc/sdk/storage'
import { StatusItems } from 'svc/sdk/terminal'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { applyVerdict, newGoal, readVerdict } from '../../../../plugins/agent/goals/goal.ts'

const isJudge = (request: ModelRequest) => request.messages.at(-1)?.text.startsWith('You judge') === true

async function start(
  verdicts: readonly string[],
  work: (call: number) => ScriptedReply = (call) => `step ${call}`,
  goals = {},
) {
  let [judge, turn] = [0, 0]
  const clock = virtualClock()
  const fake = fakeProvider((request) => {
    return isJudge(request) ? (verdicts[Math.min(judge++, verdicts.length - 1)] ?? '') : work(turn++)
  })
  const kernel = await testKernel({
    plugins: ['conversation', 'goals', 'session-commands'],
    with: [fake.plugin],
    clock,
    config: { model: { provider: 'fake', default: 'fake-1' }, goals },
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel)
  const settled = (pattern: RegExp) =>
    vi.waitFor(() => expect(talk.said.map(({ text }) => text).join('\n')).toMatch(pattern))
  return { kernel, fake, talk, clock, settled, judges: () => judge }
}

const verdict = (word: string, more = {}) => JSON.stringify({ verdict: word, reason: `it is ${word}`, ...more })

test('the agent continues until the judge is content, and what counts stands in each order', async () => {
  const { talk, settled, fake } = await start([verdict('continue'), verdict('done')])
  await talk.type('/goal make it green\nverify: npm test passes')
  await settled(/The goal is reached after 2 of 20 turns/)
  expect(talk.answers()).toEqual(['step 0', 'step 1'])
  const judge = fake.requests.find(isJudge)
  expect(judge?.messages.at(-1)?.text).toContain('It is verified by: npm test passes')
  expect(await talk.type('/goal')).toMatch(/reached.*2\/20: make it green/)
})

test('it pauses when its turns are used up, and continues when it is told to', async () => {
  const { talk, settled, kernel } = await start([verdict('continue')], undefined, { max_turns: 2 })
  await talk.type('/goal never enough')
  await settled(/The goal is paused: its 2 turns are used up/)
  expect(kernel.all(StatusItems).get('goal')?.line(talk.conversation)).toEqual([
    { text: '◎ 2/2', role: 'status-warning' },
  ])
  await talk.type('/goal resume')
  await vi.waitFor(() => expect(talk.answers()).toHaveLength(4))
})

test('a turn that is stopped by hand pauses the goal', async () => {
  const { talk, kernel, judges } = await start([verdict('done')], () => ({
    text: 'never',
    gate: new Promise(() => {}),
  }))
  await talk.conversation.type('/goal something')
  await vi.waitFor(() => expect(kernel.use(Agent).busy(talk.conversation.sessionId)).toBe(true))
  talk.conversation.stop()
  await vi.waitFor(() => expect(talk.said.at(-1)?.text).toMatch(/paused/))
  expect(judges()).toBe(0)
})

test('three verdicts that cannot be read pause it, and one that can in between does not count', async () => {
  const { talk, settled } = await start(['what?', '{"verdict":"maybe"}', verdict('continue'), '', 'no', 'nothing'])
  await talk.type('/goal something')
  await settled(/progress could not be checked/)
  expect(talk.answers()).toHaveLength(6)
})

test('the judge may wait; waiting is free and can be cut short', async () => {
  const { talk, settled, clock } = await start([
    verdict('wait', { wait_for_seconds: 300 }),
    verdict('wait'),
    verdict('done'),
  ])
  await talk.type('/goal deploy')
  await settled(/The goal waits 300 s/)
  await clock.advance(299_000)
  expect(talk.answers()).toHaveLength(1)
  await clock.advance(2_000)
  await settled(/waits 60 s/)
  await talk.type('/goal unwait')
  await settled(/reached after 1 of 20/)
})

test('/goal wait <pid> waits until the process has ended, however long that takes', async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { talk, settled, clock } = await start([verdict('wait', { wait_for_seconds: 300 }), verdict('done')])
  await talk.type('/goal deploy')
  await settled(/The goal waits 300 s/)
  expect(await talk.type(`/goal wait ${child.pid} the build`)).toContain(`when process ${child.pid} has ended`)
  await clock.advance(400_000)
  expect(talk.answers()).toHaveLength(1)
  expect(await talk.type('/goal')).toContain(`It waits for process ${child.pid}. the build`)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  await clock.advance(1000)
  await settled(/reached after 1 of 20/)
})

test('/goal wait refuses a process that does not run and keeps what it waits for', async () => {
  const { talk, settled, clock } = await start([verdict('wait', { wait_for_seconds: 300 }), verdict('done')])
  await talk.type('/goal deploy')
  await settled(/The goal waits 300 s/)
  // Above the highest id that Linux gives to a process.
  expect(await talk.type('/goal wait 4194305')).toMatch(/^There is no process 4194305\. Type what to wait for/)
  expect(await talk.type('/goal wait pid 4194305')).toContain('There is no process 4194305.')
  expect(await talk.type('/goal wait proc_0123456789ab')).toContain('There is no process proc_0123456789ab.')
  for (const word of ['soon', '', '0', '0s', '-5', '99999999h', '5x'])
    expect(await talk.type(`/goal wait ${word}`)).toMatch(/^Type what to wait for/)
  await clock.advance(301_000)
  await settled(/reached after 1 of 20/)
})

test.each([
  ['90s', 90],
  ['5m', 300],
  ['1h30m nightly build', 5400],
])('/goal wait %s waits for that time', async (typed, seconds) => {
  const { talk, settled, clock } = await start([verdict('wait', { wait_for_seconds: 10 }), verdict('done')])
  await talk.type('/goal deploy')
  await settled(/The goal waits 10 s/)
  expect(await talk.type(`/goal wait ${typed}`)).toContain(`begins in ${seconds} s`)
  expect(await talk.type('/goal')).toContain(`It waits ${seconds} s.`)
  await clock.advance(seconds * 1000 - 1)
  expect(talk.answers()).toHaveLength(1)
  await clock.advance(2)
  await settled(/reached after 1 of 20/)
})

test('the judge may wait for a process, which is looked at again after an hour at the latest', async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const waits = verdict('wait', { wait_on_pid: child.pid })
  const { talk, settled, clock, judges } = await start([waits, waits, verdict('done')])
  await talk.type('/goal deploy')
  await settled(new RegExp(`The goal waits for process ${child.pid}: it is wait`))
  await clock.advance(3_599_000)
  expect(judges()).toBe(1)
  await clock.advance(2000)
  await vi.waitFor(() => expect(judges()).toBe(2))
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  await clock.advance(1000)
  await settled(/reached after 1 of 20/)
})

test.each([{ wait_on_pid: 4194305 }, { wait_on_session: 'proc_0123456789ab' }])(
  'a judge that waits for a process that has ended is not asked again at once: %j',
  async (target) => {
    const { talk, settled, clock, judges } = await start([verdict('wait', target), verdict('done')])
    await talk.type('/goal deploy')
    await settled(/The goal waits 60 s/)
    await clock.advance(59_000)
    expect(judges()).toBe(1)
    await clock.advance(2000)
    await settled(/reached/)
  },
)

test('the judge sees the processes in the background of the session, and may wait for one', async () => {
  const { talk, settled, kernel, fake, clock } = await start([verdict('wait', { wait_for_seconds: 10 })])
  const judged = () => fake.requests.filter(isJudge).map(({ messages }) => messages.at(-1)?.text)
  await talk.type('/goal deploy')
  await settled(/The goal waits 10 s/)
  const { sessionId } = talk.conversation
  const { id } = await kernel.use(BackgroundProcesses).start({
    ...{ sessionId, command: 'make all', pty: false },
    launch: { command: ['sleep', '1000'], cwd: kernel.home, environment: { PATH: process.env['PATH'] ?? '' } },
    end: async (pid) => void process.kill(pid, 'SIGKILL'),
  })
  await talk.type('/goal unwait')
  await vi.waitFor(() => expect(judged()).toHaveLength(2))
  expect(judged()[1]).toContain(`Processes in the background:\n- ${id}: make all`)
  await settled(/(The goal waits 10 s[\s\S]*){2}/)
  expect(await talk.type(`/goal wait ${id}`)).toContain(`when process ${id} has ended`)
  await clock.advance(60_000)
  expect(talk.answers()).toHaveLength(2)
  await kernel.use(BackgroundProcesses).kill(id)
  await clock.advance(1000)
  await vi.waitFor(() => expect(judged()).toHaveLength(3))
  expect(judged()[2]).not.toContain('Processes in the background')
})

test('what the user says while a goal waits is not judged, and does not end the wait', async () => {
  const { talk, settled, clock, judges } = await start([verdict('wait', { wait_for_seconds: 300 }), verdict('done')])
  await talk.type('/goal deploy')
  await settled(/The goal waits 300 s/)
  await talk.type('how is the weather?')
  await talk.conversation.idle()
  expect(judges()).toBe(1)
  await clock.advance(301_000)
  await settled(/reached/)
  expect(talk.answers()).toHaveLength(3)
})

test('a goal that is paused does not wait, and one that is resumed does not wait any more', async () => {
  const { talk, settled, clock } = await start([verdict('wait', { wait_for_seconds: 300 }), verdict('done')])
  await talk.type('/goal deploy')
  await settled(/The goal waits 300 s/)
  await talk.type('/goal pause')
  expect(await talk.type('/goal wait 5m')).toMatch(/paused/)
  await talk.type('/goal resume')
  await settled(/reached/)
  await clock.advance(301_000)
  await talk.conversation.idle()
  expect(talk.answers()).toHaveLength(2)
})

test('subgoals count, can be taken out, and a cleared goal is not judged any more', async () => {
  const { talk, settled, fake } = await start([verdict('continue'), verdict('done')], undefined)
  expect(await talk.type('/subgoal docs')).toMatch(/There is no goal/)
  await talk.type('/goal write it')
  await talk.type('/subgoal docs too', '/subgoal tests', '/subgoal remove 2')
  await settled(/reached/)
  expect(await talk.type('/subgoal')).toBe('1. docs too')
  expect(await talk.type('/subgoal remove 9')).toMatch(/no subgoal 9/)
  expect(await talk.type('/goal clear')).toBe('The goal was removed.')
  const judges = fake.requests.filter(isJudge).length
  await talk.type('hello')
  expect(fake.requests.filter(isJudge)).toHaveLength(judges)
  expect(await talk.type('/goal pause')).toMatch(/There is no goal/)
})

test('a verdict is read from any text around it, and nothing else is one', () => {
  expect(readVerdict('Sure: {"verdict":"done","reason":"ok"} bye')).toMatchObject({ verdict: 'done' })
  expect(readVerdict('{"done": false}')).toMatchObject({ verdict: 'continue' })
  expect(readVerdict('{"verdict":"wait","wait_for_seconds":1e9}')?.waitSeconds).toBe(3600)
  expect(readVerdict('{"verdict":"wait","wait_on_pid":"17"}')?.waitOn).toEqual({ pid: 17 })
  expect(readVerdict('{"verdict":"wait","wait_on_pid":null,"wait_on_session":"proc_1"}')?.waitOn).toEqual({
    processId: 'proc_1',
  })
  for (const pid of [0, -1, 1.5, true, '', 'x', 1e99])
    expect(readVerdict(JSON.stringify({ verdict: 'wait', wait_on_pid: pid }))?.waitOn).toBeUndefined()
  fc.assert(
    fc.property(fc.string(), (text) => {
      const found = readVerdict(text)
      expect(found === undefined || ['done', 'continue', 'wait'].includes(found.verdict)).toBe(true)
    }),
  )
})

test('whatever is judged, a goal is never active beyond its turns', () => {
  const verdicts = fc.option(
    fc.record({
      verdict: fc.constantFrom('continue' as const, 'wait' as const),
      reason: fc.string(),
      waitSeconds: fc.nat(),
    }),
    { nil: undefined },
  )
  fc.assert(
    fc.property(fc.array(verdicts, { maxLength: 40 }), fc.integer({ min: 1, max: 10 }), (list, maxTurns) => {
      let goal = newGoal('x', { maxTurns, spentBefore: 0 })
      for (const each of list) if (goal.status === 'active') goal = applyVerdict(goal, each)
      expect(goal.turns).toBeLessThanOrEqual(maxTurns)
      if (goal.turns === maxTurns) expect(goal.status).toBe('paused')
    }),
  )
})

const isDraft = (request: ModelRequest) => request.messages.at(-1)?.text.startsWith('Write the contract') === true

async function drafting(answer: ScriptedReply) {
  const fake = fakeProvider((request) => (isDraft(request) ? answer : isJudge(request) ? verdict('done') : 'worked'))
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  const kernel = await testKernel({ plugins: ['conversation', 'goals'], with: [fake.plugin], config })
  onTestFinished(() => kernel.stop())
  return { fake, talk: fakeTalk(kernel) }
}

test('/goal draft lets a model write the conditions down, and works by them', async () => {
  const contract = 'The build is green.\n- verify: npm test passes\nboundaries: no test is removed'
  const { talk, fake } = await drafting(`\`\`\`\n${contract}\n\`\`\``)
  const said = await talk.type('/goal draft make it green')
  expect(said).toContain('It is verified by: npm test passes')
  expect(fake.requests.find(isDraft)?.messages[0]?.text).toContain('<data>\nmake it green\n</data>')
  await vi.waitFor(() => expect(talk.answers()).toEqual(['worked']))
  const work = fake.requests.find((request) => request.messages.at(-1)?.text.startsWith('Work towards'))
  expect(work?.messages.at(-1)?.text).toContain('no test is removed')
})

test.for([
  ['a model that fails', { failure: { kind: 'auth', message: 'no', retryable: false } }],
  ['an answer without a condition', 'Sure, I will do that!'],
] as const)('after %s the goal is set as it was typed', async ([, answer]) => {
  const { talk } = await drafting(answer as ScriptedReply)
  expect(await talk.type('/goal draft make it green')).toMatch(/as you typed it\.\s+make it green/)
  expect(await talk.type('/goal')).toContain('make it green')
})

test('a branch begins with the goal, what it does with it stays its own, and /undo restores the goal from before', async () => {
  const { talk, settled } = await start([verdict('done')])
  await talk.type('/goal make it green')
  await settled(/The goal is reached/)
  const whole = talk.conversation.sessionId
  await talk.type('/branch')
  expect(talk.conversation.sessionId).not.toBe(whole)
  expect(await talk.type('/goal')).toContain('make it green')
  await talk.type('/goal make it blue')
  await vi.waitFor(() => expect(talk.answers()).toHaveLength(2))
  await talk.conversation.idle()
  expect(await talk.type('/goal')).toContain('make it blue')
  expect(await talk.type('/undo now')).toMatch(/^Taken back/)
  expect(await talk.type('/goal')).toContain('make it green')
  await talk.conversation.switchTo(whole)
  expect(await talk.type('/goal')).toContain('make it green')
})

test('a goal of an earlier database becomes part of its session once', async () => {
  const { kernel, talk } = await start([verdict('done')])
  const file = join(kernel.home, 'data', 'goals', 'goals.db')
  mkdirSync(dirname(file), { recursive: true })
  const migrations = ['CREATE TABLE goals (session TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID']
  const earlier = new ManagedDatabase(() => kernel.use(Storage), { file, migrations })
  const goal = { ...newGoal('from before', { maxTurns: 20, spentBefore: 0 }), status: 'paused' }
  await talk.type('hello')
  const row = [talk.conversation.sessionId, JSON.stringify(goal)]
  earlier.use((database) => database.prepare('INSERT INTO goals VALUES (?, ?)').run(...row))
  expect(await talk.type('/goal')).toContain('from before')
  expect(earlier.use((database) => database.prepare('SELECT * FROM goals').all())).toEqual([])
  expect(await talk.type('/goal')).toContain('from before')
  await earlier.close()
})

test('a goal of an earlier database that is damaged is reported and kept aside, and the conversation continues', async () => {
  const { kernel, talk } = await start([verdict('done')])
  const file = join(kernel.home, 'data', 'goals', 'goals.db')
  mkdirSync(dirname(file), { recursive: true })
  const migrations = ['CREATE TABLE goals (session TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID']
  const earlier = new ManagedDatabase(() => kernel.use(Storage), { file, migrations })
  await talk.type('hello')
  const { sessionId } = talk.conversation
  earlier.use((database) => database.prepare('INSERT INTO goals VALUES (?, ?)').run(sessionId, '{"text": "half a g'))
  expect(await talk.type('/goal')).not.toContain('half a g')
  await earlier.close()
  const { states } = kernel.use(Sessions).export(sessionId)
  expect(states?.find(({ id }) => id === 'goals:goal#rejected')?.value).toBe('{"text": "half a g')
  expect(readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8').match(/goals:goal#rejected/g)).toHaveLength(1)
})
