import { Questions, type Tool, type ToolResult, Tools, type TurnEventData } from 'svc/sdk'
import type { QuestionHandler } from 'svc/sdk/safety'
import { fakeToolTurn, testKernel, toolContract, virtualClock } from 'svc/sdk/testing'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'

async function open(config: object = {}) {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['tool-clarify'], clock, config: { clarify: config } })
  onTestFinished(() => kernel.stop())
  const events: TurnEventData[] = []
  const ask = async (input: object, turn: Parameters<typeof fakeToolTurn>[0] = {}): Promise<ToolResult> => {
    const tool = kernel.all(Tools).get('clarify') as Tool
    const parsed = await tool.input['~standard'].validate(input)
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    const watched = fakeToolTurn({ emit: (event) => void events.push(event), ...turn })
    return (await tool.run(parsed.value, watched)) as ToolResult
  }
  return { kernel, clock, events, ask, questions: kernel.use(Questions) }
}

/** A person who says nothing until told to; the signals say whether the question still stands. */
function person(name: string, reaches = true) {
  const signals: AbortSignal[] = []
  let say: (text: string | undefined) => void = () => {}
  const promise = new Promise<string | undefined>((resolve) => {
    say = resolve
  })
  const respondent: QuestionHandler = {
    name,
    reaches: () => reaches,
    ask: (_, signal) => {
      signals.push(signal)
      return promise
    },
  }
  return { respondent, signals, say }
}

const choices = ['SQLite', 'PostgreSQL']

test('a person is asked, the answer comes back, and both are events of the turn', async () => {
  const { ask, questions, events } = await open()
  const anna = person('terminal')
  questions.connect(anna.respondent)
  const running = ask({ question: 'Which database?', choices })
  const shown = [{ id: 'turn_test:call_1', text: 'Which database?', choices }]
  await vi.waitFor(() => expect(questions.pending()).toMatchObject(shown))
  anna.say('neither, thanks')
  expect(await running).toEqual({
    text: 'neither, thanks',
    data: { question: 'Which database?', choices_offered: choices, user_response: 'neither, thanks' },
  })
  expect(events).toMatchObject([
    { type: 'clarify.request', question: { choices, sessionId: 'ses_test' } },
    { type: 'clarify.answer', id: 'turn_test:call_1', text: 'neither, thanks', by: 'terminal' },
  ])
  expect(questions.pending()).toEqual([])
})

test.for([
  ['2', 'PostgreSQL'],
  [' 1 ', 'SQLite'],
  ['3', '3'],
  ['sqlite', 'sqlite'],
])('"%s" means "%s"', async ([typed = '', answer]) => {
  const { ask, questions } = await open()
  const anna = person('terminal')
  questions.connect(anna.respondent)
  anna.say(typed)
  expect((await ask({ question: 'Which?', choices })).text).toBe(answer)
})

test('a choice that is a number is that choice, not its place', async () => {
  const { ask, questions } = await open()
  const anna = person('terminal')
  questions.connect(anna.respondent)
  anna.say('2')
  expect((await ask({ question: 'How many?', choices: ['2', '1'] })).text).toBe('2')
})

test('with no one in reach the model is told so at once, and nothing is shown', async () => {
  const { ask, questions, events } = await open()
  const far = person('telegram', false)
  questions.connect(far.respondent)
  expect(await ask({ question: 'Which?' })).toMatchObject({
    failed: true,
    text: expect.stringContaining('No person is'),
  })
  expect(far.signals).toEqual([])
  expect(events).toEqual([])
})

test('the first answer counts, and the other front end is told that none is needed', async () => {
  const { ask, questions } = await open()
  const [anna, ben] = [person('terminal'), person('telegram')]
  questions.connect(anna.respondent)
  questions.connect(ben.respondent)
  const running = ask({ question: 'Which?', choices })
  ben.say('1')
  expect((await running).text).toBe('SQLite')
  expect(anna.signals[0]?.aborted).toBe(true)
  anna.say('2')
  expect(() => questions.answer('turn_test:call_1', '2', 'late')).toThrow(/not open any more/)
})

test('a question may be answered through the service, by its id', async () => {
  const { ask, questions } = await open()
  questions.connect(person('telegram').respondent)
  const running = ask({ question: 'Which?', choices })
  await vi.waitFor(() => expect(questions.pending()).toHaveLength(1))
  questions.answer('turn_test:call_1', '2', 'button')
  expect((await running).text).toBe('PostgreSQL')
})

test('after the time is over the model continues without an answer', async () => {
  const { ask, questions, clock } = await open({ timeout: 60 })
  const anna = person('terminal')
  questions.connect(anna.respondent)
  const running = ask({ question: 'Which?' })
  await clock.advance(59_999)
  expect(questions.pending()).toHaveLength(1)
  await clock.advance(1)
  expect(await running).toMatchObject({ failed: true, text: expect.stringContaining('within 60 s') })
  expect(anna.signals[0]?.aborted).toBe(true)
  expect(questions.pending()).toEqual([])
  expect(clock.pending()).toBe(0)
})

test('an interrupted turn takes its question back', async () => {
  const { ask, questions, clock } = await open()
  const anna = person('terminal')
  questions.connect(anna.respondent)
  const abort = new AbortController()
  const running = ask({ question: 'Which?' }, { signal: abort.signal })
  await vi.waitFor(() => expect(questions.pending()).toHaveLength(1))
  abort.abort()
  expect(await running).toMatchObject({ failed: true, text: expect.stringContaining('interrupted') })
  expect(questions.pending()).toEqual([])
  expect(clock.pending()).toBe(0)
})

test('front ends that fail or hang up leave no one, and one of two that fails leaves the other', async () => {
  const broken: QuestionHandler = { name: 'broken', reaches: () => true, ask: () => Promise.reject(new Error('gone')) }
  const alone = await open()
  alone.questions.connect(broken)
  expect((await alone.ask({ question: 'Which?' })).text).toContain('No person is available')
  const { ask, questions } = await open()
  const anna = person('terminal')
  questions.connect(broken)
  questions.connect(anna.respondent)
  const running = ask({ question: 'Which?' })
  anna.say('yes')
  expect((await running).text).toBe('yes')
})

test('a front end that has disconnected is not asked', async () => {
  const { ask, questions } = await open()
  const anna = person('terminal')
  await questions.connect(anna.respondent)()
  expect((await ask({ question: 'Which?' })).failed).toBe(true)
})

test('five choices are too many, and a question needs words', async () => {
  const { ask } = await open()
  await expect(ask({ question: 'x', choices: ['a', 'b', 'c', 'd', 'e'] })).rejects.toThrow()
  await expect(ask({ question: '  ' })).rejects.toThrow()
})

describe('clarify keeps the contract of tools', async () => {
  const kernel = await testKernel({ plugins: ['tool-clarify'] })
  afterAll(() => kernel.stop())
  const samples = [{ input: { question: 'Which?', choices }, failed: true, text: 'No person is available' }]
  test.for(toolContract(kernel.all(Tools).get('clarify') as Tool, samples))('clarify $name', ({ run }) => run())
})
