import { type PluginContext, Sessions } from 'svc/sdk'
import { BeforeConversationChange, type ConversationChangeRequest } from 'svc/sdk/hooks'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

type Verdict = 'allow' | 'deny' | 'ask' | 'throw'

/** Conversations beside a plugin that answers as the test says and notes what it is asked. */
async function guarded(verdict: { now: Verdict }) {
  const asked: Omit<ConversationChangeRequest, 'conversation'>[] = []
  const keeper = {
    name: 'keeper',
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(BeforeConversationChange, ({ conversation: _, ...change }) => {
        asked.push(change)
        if (verdict.now === 'throw') throw new Error('a defect')
        if (verdict.now === 'deny') return { decision: 'deny', reason: 'the draft is not sent' }
        if (verdict.now === 'ask') return { decision: 'ask', question: { reason: 'loses the draft' } }
        return undefined
      }),
  }
  const fake = fakeProvider((_request, call) => `answer ${call}`)
  const kernel = await testKernel({
    plugins: ['conversation', 'session-commands', 'session-tree', 'sessions-cli'],
    with: [fake.plugin, keeper],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, asked, sessions: kernel.use(Sessions) }
}

test('a denied change leaves everything as it was, and nothing is made for it', async () => {
  const verdict: { now: Verdict } = { now: 'allow' }
  const { kernel, asked, sessions } = await guarded(verdict)
  const other = sessions.create({ surface: 'cli', cwd: '/', title: 'Other' })
  const talk = fakeTalk(kernel, { person: { confirm: true } })
  await talk.type('one', '/label here', 'two')
  const { sessionId } = talk.conversation
  verdict.now = 'deny'
  for (const line of ['/new', '/clear', '/branch', '/tree here', `/resume ${other.id}`, '/undo', '/retry', '/quit'])
    expect(await talk.type(line), line).toBe('Nothing was changed: the draft is not sent.')
  expect(asked).toEqual([
    { reason: 'new', sessionId },
    { reason: 'new', sessionId },
    { reason: 'branch', sessionId },
    { reason: 'branch', sessionId },
    { reason: 'resume', sessionId, nextSessionId: other.id },
    { reason: 'rewind', sessionId },
    { reason: 'rewind', sessionId },
    { reason: 'close', sessionId },
  ])
  expect(talk.conversation.sessionId).toBe(sessionId)
  expect(talk.conversation.open).toBe(true)
  expect(sessions.open(sessionId).messages()).toHaveLength(4)
  expect(sessions.count()).toBe(2)
  expect(await talk.type('/undo')).toMatch(/Nothing was changed/)
  verdict.now = 'allow'
  await talk.type('/undo', '/new')
  expect(sessions.open(sessionId).messages()).toHaveLength(2)
  expect(talk.conversation.sessionId).not.toBe(sessionId)
})

test('a person confirms a change that a listener asks about; without a person it is denied', async () => {
  const { kernel } = await guarded({ now: 'ask' })
  const willing = fakeTalk(kernel, { person: { confirm: true } })
  const before = willing.conversation.sessionId
  await willing.type('hello', '/new now')
  expect(willing.conversation.sessionId).not.toBe(before)
  const unwilling = fakeTalk(kernel, { person: { confirm: false } })
  expect(await unwilling.type('hello', '/new now')).toMatch(/it was not confirmed/)
  const mute = fakeTalk(kernel)
  expect(await mute.type('hello', '/new now')).toMatch(/no person can be asked here/)
})

test('a listener that fails does not keep a person in a conversation', async () => {
  const { kernel } = await guarded({ now: 'throw' })
  const talk = fakeTalk(kernel)
  const before = talk.conversation.sessionId
  await talk.type('hello', '/new now')
  expect(talk.conversation.sessionId).not.toBe(before)
})

test('a branch that a shell command makes is asked about as well', async () => {
  const verdict: { now: Verdict } = { now: 'deny' }
  const { kernel, asked, sessions } = await guarded(verdict)
  const talk = fakeTalk(kernel)
  await talk.type('hello')
  const { sessionId } = talk.conversation
  const denied = await kernel.run(['sessions', 'branch', sessionId])
  expect(denied).toMatchObject({ code: 1, err: expect.stringContaining('the draft is not sent') })
  expect(asked).toEqual([{ reason: 'branch', sessionId }])
  verdict.now = 'ask'
  const confirmed = await kernel.run(['sessions', 'branch', sessionId], { interactive: true, answers: ['y'] })
  expect(confirmed).toMatchObject({ code: 0, err: expect.stringContaining('loses the draft. Continue?') })
  expect(await kernel.run(['sessions', 'branch', sessionId])).toMatchObject({ code: 1 })
  expect(sessions.count()).toBe(2)
})
