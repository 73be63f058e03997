import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { Agent, LazyDatabase, type ModelRequest, StatusItems, Storage } from 'svc/sdk'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { judged, newGoal, readVerdict } from '../../../plugins/goals/goal.ts'

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

test('the agent goes on until the judge is content, and what counts stands in each order', async () => {
  const { talk, settled, fake } = await start([verdict('continue'), verdict('done')])
  await talk.type('/goal make it green\nverify: npm test passes')
  await settled(/The goal is reached after 2 of 20 turns/)
  expect(talk.answers()).toEqual(['step 0', 'step 1'])
  const judge = fake.requests.find(isJudge)
  expect(judge?.messages.at(-1)?.text).toContain('It is verified by: npm test passes')
  expect(await talk.type('/goal')).toMatch(/reached.*2\/20: make it green/)
})

test('it pauses when its turns are used up, and goes on when it is told to', async () => {
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

test('/goal wait pid waits until the process has ended, however long that takes', async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { talk, settled, clock } = await start([verdict('wait', { wait_for_seconds: 300 }), verdict('done')])
  await talk.type('/goal deploy')
  await settled(/The goal waits 300 s/)
  expect(await talk.type(`/goal wait pid ${child.pid}`)).toContain(`when process ${child.pid} has ended`)
  await clock.advance(400_000)
  expect(talk.answers()).toHaveLength(1)
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
  expect(await talk.type('/goal wait pid 4194305')).toBe('There is no process 4194305.')
  expect(await talk.type('/goal wait pid soon')).toContain('/goal wait 60')
  await clock.advance(301_000)
  await settled(/reached after 1 of 20/)
})

test('subgoals count, can be taken out, and a cleared goal is not judged any more', async () => {
  const { talk, settled, fake } = await start([verdict('continue'), verdict('done')], undefined)
  expect(await talk.type('/subgoal docs')).toMatch(/There is no goal/)
  await talk.type('/goal write it')
  await talk.type('/subgoal docs too', '/subgoal tests', '/subgoal remove 2')
  await settled(/reached/)
  expect(await talk.type('/subgoal')).toBe('1. docs too')
  expect(await talk.type('/subgoal remove 9')).toMatch(/no subgoal 9/)
  expect(await talk.type('/goal clear')).toBe('The goal is forgotten.')
  const judges = fake.requests.filter(isJudge).length
  await talk.type('hello')
  expect(fake.requests.filter(isJudge)).toHaveLength(judges)
  expect(await talk.type('/goal pause')).toMatch(/There is no goal/)
})

test('a verdict is read from any text around it, and nothing else is one', () => {
  expect(readVerdict('Sure: {"verdict":"done","reason":"ok"} bye')).toMatchObject({ verdict: 'done' })
  expect(readVerdict('{"done": false}')).toMatchObject({ verdict: 'continue' })
  expect(readVerdict('{"verdict":"wait","wait_for_seconds":1e9}')?.waitSeconds).toBe(3600)
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
      for (const each of list) if (goal.status === 'active') goal = judged(goal, each)
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
  const earlier = new LazyDatabase(() => kernel.use(Storage), { file, migrations })
  const goal = { ...newGoal('from before', { maxTurns: 20, spentBefore: 0 }), status: 'paused' }
  await talk.type('hello')
  const row = [talk.conversation.sessionId, JSON.stringify(goal)]
  earlier.use((database) => database.prepare('INSERT INTO goals VALUES (?, ?)').run(...row))
  expect(await talk.type('/goal')).toContain('from before')
  expect(earlier.use((database) => database.prepare('SELECT * FROM goals').all())).toEqual([])
  expect(await talk.type('/goal')).toContain('from before')
  await earlier.close()
})
