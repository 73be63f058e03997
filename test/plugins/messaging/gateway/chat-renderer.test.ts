/** What a chat is shown of a turn: events in, posts out, with data alone. */
import type { TurnEvent, TurnEventData } from 'svc/sdk'
import { expect, test } from 'vitest'
import {
  type ChatStep,
  type ChatView,
  newTurn,
  render,
  stillWorking,
} from '../../../../plugins/messaging/gateway/chat-renderer.ts'

const START = { type: 'turn.start', text: 'hi', provider: 'fake', model: 'fake-1' } as const
const quiet: ChatView = { now: 0, draftEveryMs: undefined, display: undefined, tool: () => undefined }
const shows = (
  display: Partial<NonNullable<ChatView['display']>>,
  draftEveryMs: number | undefined = 800,
): ChatView => ({
  now: 0,
  draftEveryMs,
  tool: () => undefined,
  display: { tool_progress: 'off', tool_time: true, show_reasoning: false, show_cost: false, ...display },
})
const delta = (text: string) => ({ type: 'message.delta', text }) as const
const complete = (text: string) => ({ type: 'message.complete', text }) as const
const think = (text: string) => ({ type: 'reasoning.delta', text }) as const
const end = (reason: 'completed' | 'interrupted' = 'completed') =>
  ({ type: 'turn.end', reason, usage: { input: 10, output: 5, costUsd: 0.02 } }) as const
const call = (callId: string, name: string, parent?: string) =>
  ({ type: 'tool.start', callId, name, input: { at: callId }, ...(parent !== undefined && { parent }) }) as const
const done = (callId: string, name: string, ok = true) =>
  ({ type: 'tool.complete', callId, name, ok, text: `seen ${callId}` }) as const

/** All steps of a turn `t1` and the state behind it. Each event comes with the view of its time. */
function turn(view: ChatView, ...bodies: readonly (TurnEventData | readonly [TurnEventData, number])[]) {
  let state = newTurn('', 0)
  const steps: ChatStep[] = []
  for (const [seq, given] of [START, ...bodies].entries()) {
    const [body, now] = Array.isArray(given) ? (given as readonly [TurnEventData, number]) : [given as TurnEventData, 0]
    const event = { ...body, turnId: 't1', sessionId: 's1', seq } as unknown as TurnEvent
    const rendered = render(state, event, { ...view, now })
    state = rendered.state
    steps.push(...rendered.steps)
  }
  return { state, steps, posts: steps.filter((step) => step.type === 'post') }
}

test('each message of a turn has its own key, and only the first one is a reply', () => {
  const { steps } = turn(quiet, complete('First.'), complete('Second.'), end())
  expect(steps).toEqual([
    { type: 'post', key: 't1:0', text: 'First.', isReply: true },
    { type: 'release' },
    { type: 'post', key: 't1:1', text: 'Second.' },
    { type: 'release' },
    { type: 'release' },
  ])
})

test('a draft grows in steps that are worth an edit, not more often than the platform allows, and becomes the message', () => {
  const view = shows({}, 800)
  const words = 'as many words as are worth an edit '
  const { posts } = turn(
    view,
    [delta(words), 100],
    [delta('more '), 900],
    [delta('x'), 1000],
    [delta(words), 1100],
    [delta(words), 1800],
    [complete('whole'), 1900],
  )
  expect(posts).toEqual([
    { type: 'post', key: 't1:0', text: `${words}more  ▌`, isDraft: true, isReply: true },
    { type: 'post', key: 't1:0', text: `${words}more x${words}${words} ▌`, isDraft: true, isReply: true },
    { type: 'post', key: 't1:0', text: 'whole', isReply: true },
  ])
})

test('where messages cannot be edited nothing is posted until a message is complete', () => {
  const long = 'words '.repeat(50)
  expect(turn(quiet, [delta(long), 5000], [complete(long), 6000]).posts).toHaveLength(1)
})

test('a message that is cut off by a stop stays without the cursor', () => {
  const text = 'This is what there was of it when it stopped'
  const { posts, state } = turn(shows({}, 800), [delta(text), 900], [end('interrupted'), 1000])
  expect(posts.map((step) => step.text)).toEqual([`${text} ▌`, text])
  expect(state.draft).toBe('')
})

test.each(['', '  ', 'NO_REPLY', ' [SILENT]\n'])('an answer of %j says nothing', (text) => {
  expect(turn(quiet, complete(text)).posts).toEqual([])
  expect(turn(quiet, complete(text), complete('Now.')).posts).toEqual([
    { type: 'post', key: 't1:0', text: 'Now.', isReply: true },
  ])
})

test('files of results are held back until the message behind them is complete, or the turn is over', () => {
  const file = { ...done('a', 'paint'), files: [{ path: '/tmp/red.png' }] }
  const { steps } = turn(quiet, call('a', 'paint'), file, complete('Red.'), file, end())
  expect(steps.map(({ type }) => type)).toEqual(['hold', 'post', 'release', 'hold', 'release'])
})

test('tools are listed in one message that grows: all, each once in a row, or with what they gave', () => {
  const events = [call('a', 'look'), done('a', 'look'), call('b', 'look'), call('c', 'paint'), call('d', 'mix', 'c')]
  const last = (mode: 'off' | 'new' | 'all' | 'verbose') => turn(shows({ tool_progress: mode }), ...events).posts.at(-1)
  expect(last('off')).toBeUndefined()
  expect(last('new')).toEqual({ type: 'post', key: 'tools:t1:0', text: '⚙️ look\n⚙️ paint', isDraft: true })
  expect(last('all')?.text).toBe('⚙️ look\n⚙️ look\n⚙️ paint')
  expect(last('verbose')?.text).toBe('⚙️ look {"at":"a"} ✓ seen a\n⚙️ look {"at":"b"}\n⚙️ paint {"at":"c"}')
  const unedited = { ...shows({ tool_progress: 'all' }), draftEveryMs: undefined }
  expect(turn(unedited, ...events).posts).toEqual([])
})

test('a tool with a view is shown as its view says, without the folders of this machine and not as markup', () => {
  const tool = () => ({ title: ({ input }: { input: unknown }) => `/home/ada/${(input as { at: string }).at}_*b*.md` })
  const { posts } = turn({ ...shows({ tool_progress: 'all' }), tool }, call('a', 'look'))
  expect(posts.map(({ text }) => text)).toEqual(['⚙️ look …/a\\_\\*b\\*.md'])
})

test('the line of a call that took long, or failed, is completed; others cost no further edit', () => {
  const view = shows({ tool_progress: 'all' })
  const runs = { type: 'tool.running', callId: 'a' } as const
  const texts = (...events: Parameters<typeof turn> extends [unknown, ...infer Rest] ? Rest : never) =>
    turn(view, ...events).posts.map(({ text }) => text)
  expect(texts(call('a', 'look'), done('a', 'look'))).toEqual(['⚙️ look'])
  expect(texts(call('a', 'look'), [runs, 1000], [done('a', 'look'), 2400])).toEqual(['⚙️ look', '⚙️ look · 1.4s'])
  expect(texts(call('a', 'look'), done('a', 'look', false))).toEqual(['⚙️ look', '⚙️ look ✗'])
  const quietly = { ...view, display: { ...(view.display as never as object), tool_time: false } as never }
  expect(turn(quietly, call('a', 'look'), [runs, 1000], [done('a', 'look'), 2400]).posts).toHaveLength(1)
})

test('calls behind a message are listed behind it, not once more with those before it', () => {
  const { posts } = turn(shows({ tool_progress: 'all' }), call('a', 'look'), complete('First.'), call('b', 'paint'))
  expect(posts.map(({ key, text }) => [key, text])).toEqual([
    ['tools:t1:0', '⚙️ look'],
    ['t1:0', 'First.'],
    ['tools:t1:1', '⚙️ paint'],
  ])
})

test('thoughts stand before the answer as a quotation of at most ten lines', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `thought ${at}`).join('\n')
  const { posts } = turn(
    shows({ show_reasoning: true }),
    think(lines),
    complete('So.'),
    think('More.'),
    call('a', 'look'),
  )
  expect(posts[0]?.key).toBe('thought:t1:0')
  expect(posts[0]?.text.split('\n')).toHaveLength(12)
  expect(posts[0]?.text).toMatch(/^> 💭\n> …\n> thought 2\n/)
  expect(posts.map(({ key }) => key)).toEqual(['thought:t1:0', 't1:0', 'thought:t1:1'])
  expect(turn(shows({}), think(lines), complete('So.')).posts).toHaveLength(1)
})

test('what a turn cost stands behind it, when that is wanted', () => {
  expect(turn(shows({ show_cost: true }), complete('So.'), end()).posts.at(-1)).toMatchObject({
    key: 'cost:t1',
    text: expect.stringMatching(/0\.02.* · ↑ 10 ↓ 5$/),
  })
  expect(turn(shows({}), complete('So.'), end()).posts).toHaveLength(1)
})

test('failures and notices are told without the folders of this machine; a passing notice is not', () => {
  const { posts } = turn(
    quiet,
    { type: 'error', code: 'X', message: 'no file /home/ada/secret/notes.md' } as never,
    { type: 'notice', text: 'read /home/ada/notes.md' } as never,
    { type: 'notice', text: 'trying again', isPassing: true } as never,
  )
  expect(posts.map(({ key, text }) => [key, text])).toEqual([
    ['t1:error:1', '⚠️ no file …/notes.md'],
    ['t1:notice:2', 'ℹ️ read …/notes.md'],
  ])
})

test('that a turn is still under way is one message, which names the tool that began last', () => {
  const { state } = turn(quiet, call('a', 'look'), call('b', 'paint'))
  expect(stillWorking(state, 'Still working', shows({}))).toEqual({
    type: 'post',
    key: 'working:t1',
    text: 'Still working (paint)',
    isDraft: true,
  })
  expect(stillWorking(newTurn('t2', 0), 'Still working', quiet)).toEqual({
    type: 'post',
    key: 'working:t2',
    text: 'Still working',
  })
})

test('the state of an event is not changed by the next one', () => {
  const before = newTurn('t1', 0)
  const frozen = Object.freeze({ ...before, calls: Object.freeze([]) as never })
  render(frozen, { ...call('a', 'look'), turnId: 't1', sessionId: 's1', seq: 1 } as unknown as TurnEvent, quiet)
  render(frozen, { ...delta('words'), turnId: 't1', sessionId: 's1', seq: 2 } as unknown as TurnEvent, quiet)
  expect(frozen).toEqual(before)
})
