import { type Message, Sessions, type Tool, type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, testKernel, toolContract, virtualClock } from 'svc/sdk/testing'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

async function open() {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['tool-session-search'], clock })
  onTestFinished(() => kernel.stop())
  const sessions = kernel.use(Sessions)
  const hold = async (texts: readonly (string | Message)[], more: { surface?: string; title?: string } = {}) => {
    await clock.advance(60_000)
    const session = sessions.create({ surface: 'cli', cwd: '/', ...more })
    const messages = texts.map(
      (text, at): Message => (typeof text === 'string' ? { role: at % 2 ? 'assistant' : 'user', text } : text),
    )
    session.record({
      turnId: `t${session.id}`,
      events: [{ type: 'turn.end', reason: 'completed', usage: {} }],
      messages,
    })
    return session.id
  }
  const search = async (input: object, sessionId = 'now'): Promise<ToolResult> => {
    const tool = kernel.all(Tools).get('session_search') as Tool
    const parsed = await tool.input['~standard'].validate(input)
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    return (await tool.run(parsed.value, fakeToolTurn({ sessionId }))) as ToolResult
  }
  const found = (result: ToolResult) => (result.data as { sessions: { id: string }[] }).sessions.map(({ id }) => id)
  return { sessions, hold, search, found }
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `message number ${at}`)

test('what was said is found with what stood around it, and with the ends of the conversation', async () => {
  const { hold, search } = await open()
  const texts = numbered(40)
  texts[20] = 'the postgres timeout was 30 s'
  const id = await hold(texts, { title: 'Slow queries' })
  const { text } = await search({ query: 'postgres timeout', window: 2 })
  expect(text.split('\n')).toEqual([
    expect.stringMatching(new RegExp(`^## Slow queries · ${id} · 2026-01-01 00:01 · cli · 40 messages$`)),
    '[0] user: message number 0',
    '[1] assistant: message number 1',
    '[2] user: message number 2',
    '...',
    '[18] user: message number 18',
    '[19] assistant: message number 19',
    '[20] user: the >>>postgres<<< >>>timeout<<< was 30 s  <- found',
    '[21] assistant: message number 21',
    '[22] user: message number 22',
    '...',
    '[37] assistant: message number 37',
    '[38] user: message number 38',
    '[39] assistant: message number 39',
  ])
})

test('a short conversation is shown once, not twice', async () => {
  const { hold, search } = await open()
  await hold(['hello', 'the needle', 'bye'])
  const lines = (await search({ query: 'needle' })).text.split('\n').slice(1)
  expect(lines.map((line) => line.slice(0, 3))).toEqual(['[0]', '[1]', '[2]'])
})

test('the session under way, its line and subagents are left out; scheduled runs come last', async () => {
  const { sessions, hold, search, found } = await open()
  const parent = await hold(['needle one', 'yes'])
  const branch = sessions.branch(parent).id
  const person = await hold(['needle two', 'yes'])
  await hold(['needle three', 'yes'], { surface: 'subagent' })
  const cron = await hold(['needle four', 'yes'], { surface: 'cron' })
  expect(found(await search({ query: 'needle' }, branch))).toEqual([person, cron])
  expect(found(await search({ query: 'needle' }, parent))).toEqual([person, cron])
  expect(found(await search({ query: 'needle' }, person))).toEqual([branch, parent, cron])
})

test('the newest come first, or the oldest, and not more than was asked for', async () => {
  const { hold, search, found } = await open()
  const ids = [await hold(['needle']), await hold(['needle']), await hold(['needle'])]
  expect(found(await search({ query: 'needle', limit: 2 }))).toEqual([ids[2], ids[1]])
  expect(found(await search({ query: 'needle', limit: 2, sort: 'oldest' }))).toEqual([ids[0], ids[1]])
  expect(found(await search({ limit: 2 }))).toEqual([ids[2], ids[1]])
})

test('when no message has all words, those with most of them are shown, and it says so', async () => {
  const { hold, search, found } = await open()
  const two = await hold(['the docker network', 'is down'])
  const one = await hold(['docker only', 'yes'])
  const result = await search({ query: 'docker network firewall' })
  expect(result.text).toMatch(/^No message has all of these words/)
  expect(found(result)).toEqual([two, one])
  expect((await search({ query: 'unheard of' })).text).toBe(
    'Nothing was found in 2 other sessions. Try fewer or other words.',
  )
})

test('one role only', async () => {
  const { hold, search, found } = await open()
  await hold(['needle', 'found it'])
  const answer = await hold(['where', 'the needle is here'])
  expect(found(await search({ query: 'needle', role_filter: 'assistant' }))).toEqual([answer])
})

test('a session is read around a message, at its end, or where words stand', async () => {
  const { hold, search } = await open()
  const texts = numbered(30)
  texts[3] = 'a needle'
  const id = await hold(texts)
  const around = await search({ session_id: id, around: 10, window: 1 })
  expect(around.text).toBe(
    'Messages 9 to 11 of 30 (counted from 0):\n[9] assistant: message number 9\n[10] user: message number 10\n[11] assistant: message number 11',
  )
  expect((await search({ session_id: id, window: 1 })).text).toContain('[29] assistant: message number 29')
  expect((await search({ session_id: id, around: 9999, window: 1 })).data).toMatchObject({ from: 28, to: 30 })
  expect((await search({ session_id: id, query: 'needle' })).text).toBe('[3] assistant: a >>>needle<<<')
  await expect(search({ session_id: 'ses_nothing' })).rejects.toThrow()
})

test('tool calls are named and long messages are cut', async () => {
  const { hold, search } = await open()
  const call: Message = { role: 'assistant', text: 'I look', toolCalls: [{ id: 'c', name: 'read_file', input: {} }] }
  const answer: Message = { role: 'tool', callId: 'c', text: `x${'y'.repeat(5000)}` }
  await hold(['find the needle', call, answer, 'done'])
  const { text } = await search({ query: 'needle' })
  expect(text).toContain('[1] assistant: I look (calls read_file)')
  expect(text).toMatch(/\[2\] tool: xy{148}…\n/)
})

test('with no other session there is nothing', async () => {
  const { search } = await open()
  expect((await search({})).text).toBe('There are no other sessions.')
})

describe('session_search keeps the contract of tools', async () => {
  const kernel = await testKernel({ plugins: ['tool-session-search'] })
  afterAll(() => kernel.stop())
  const tool = kernel.all(Tools).get('session_search') as Tool
  const samples = [
    { input: {}, text: 'no other sessions' },
    { input: { query: 'x' }, text: 'Nothing was found' },
  ]
  test.for(toolContract(tool, samples))('session_search $name', ({ run }) => run())
})
