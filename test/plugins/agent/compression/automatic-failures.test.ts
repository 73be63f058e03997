import type { Message } from 'svc/sdk'
import { describe, expect, test } from 'vitest'
import { faults } from './generated.ts'
import { createConversation, estimateTokens, isOrder, ofType, open, write } from './scene.ts'

describe('when it goes wrong', () => {
  test.for([
    ['fails', { failure: { kind: 'server', message: 'It is on fire.' } }, /It is on fire/],
    ['says nothing', '', /said nothing/],
    ['says next to nothing', 'Ok.', /wrote only "Ok\."/],
    ['refuses', 'I am sorry, but I cannot help with summing up this conversation.', /wrote only "I am sorry/],
    ['says more than there was', 'blah '.repeat(30_000), /tokens for/],
  ] as const)(
    'a model that %s changes nothing, it is said, and tried again only after a rest',
    async ([, reply, why]) => {
      const { turn, begin, clock, orders } = await open({
        order: () => reply,
        config: { auxiliary: { transient_retries: 0 } },
      })
      const session = begin(createConversation(10, 1500))
      const before = session.messages()
      const events = await turn(session, 'And now?')
      expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([expect.stringMatching(why)])
      expect(ofType(events, 'compressed')).toEqual([])
      expect(session.messages().slice(0, before.length)).toEqual(before)
      expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
      const asked = orders().length
      expect(ofType(await turn(session, 'Again?'), 'notice')).toEqual([])
      expect(orders()).toHaveLength(asked)
      await clock.advance(61_000)
      await turn(session, 'And again?')
      expect(orders().length).toBeGreaterThan(asked)
    },
  )

  test('with abort_on_summary_failure: false an extract stands in, twice in a row at most', async () => {
    const { turn, begin, clock } = await open({
      order: () => ({ failure: { kind: 'server', message: 'It is on fire.' } }),
      compression: { abort_on_summary_failure: false },
      config: { auxiliary: { transient_retries: 0 } },
    })
    const session = begin(createConversation(12, 1500))
    const said: string[] = []
    for (let count = 0; count < 4; count++) {
      said.push(
        ...(await turn(session, 'And now?')).flatMap((event) => (event.type === 'compressed' ? [event.text] : [])),
      )
      write(session, createConversation(10, 1500))
      await clock.advance(700_000)
    }
    expect(said).toHaveLength(2)
    expect(said[0]).toContain('this is an extract')
    expect(said[0]).toContain('Question 3')
  })

  test('a model that refuses the messages as too long is asked again once with fewer, without waiting for a threshold', async () => {
    const { turn, begin, fake, orders } = await open({
      window: 'unknown',
      talk: (request) =>
        estimateTokens(request) > 14_000
          ? { failure: { kind: 'context-overflow', message: 'Too long.' } }
          : 'Now it fits.',
    })
    const session = begin(createConversation(16, 1500))
    const events = await turn(session, 'And now?')
    expect(orders()).toHaveLength(1)
    expect(fake.requests.filter((request) => !isOrder(request))).toHaveLength(2)
    expect(events.find(({ type }) => type === 'message.complete')).toMatchObject({ text: 'Now it fits.' })
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      expect.stringContaining('assuming 128000 tokens'),
    ])
  })

  test('a model that refuses again in the same turn is not paid a second summary', async () => {
    const tooLong = { failure: { kind: 'context-overflow', message: 'Too long.' } } as const
    const { turn, begin, orders } = await open({
      window: 'unknown',
      talk: (_, call) => (call === 1 ? { calls: [{ name: 'look', input: { path: 'a', lines: 3000 } }] } : tooLong),
    })
    const session = begin(createConversation(16, 1500))
    const events = await turn(session, 'And now?')
    expect(ofType(events, 'tool.complete')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
    expect(ofType(events, 'compressed')).toHaveLength(1)
    expect(orders()).toHaveLength(1)
    await turn(session, 'And in a new turn?')
    expect(orders()).toHaveLength(2)
  })

  test('a result that is larger than the window is cut in its middle when the model refuses it', async () => {
    const { turn, begin, fake } = await open({
      window: 'unknown',
      talk: (request, call) => {
        if (call === 0) return { calls: [{ name: 'look', input: { path: 'src/huge.ts', lines: 20_000 } }] }
        return estimateTokens(request) > 20_000
          ? { failure: { kind: 'context-overflow', message: 'Too long.' } }
          : 'Seen.'
      },
      config: { plugins: { disabled: ['tool-results'] } },
    })
    const session = begin()
    const events = await turn(session, 'Look at it.')
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
    const sent = fake.requests.at(-1)?.messages.at(-1)?.text ?? ''
    expect(sent).toMatch(/^src\/huge.ts 0 is there[\s\S]*characters left out[\s\S]*src\/huge.ts 19999 is there$/)
    expect(faults(session.messages())).toEqual([])
  })

  test('two compressions that did not help are enough, until something is different', async () => {
    const { turn, begin, clock, orders } = await open({
      talk: (request) => ({
        text: 'Fine.',
        usage: { input: estimateTokens(request) + 14_000 },
        ...callsAtFirst(request.messages),
      }),
    })
    const session = begin(createConversation(12, 1500))
    const notices: string[] = []
    for (let count = 0; count < 6; count++) {
      const events = await turn(session, `Turn ${count}`)
      notices.push(...ofType(events, 'notice').map(({ text }) => text))
      write(session, createConversation(4, 1500))
      await clock.advance(60_000)
    }
    expect(orders()).toHaveLength(2)
    expect(notices.filter((text) => text.includes('did not help twice'))).toHaveLength(1)
    session.rewind(session.messages().length - 2)
    await turn(session, 'Something is different.')
    expect(orders().length).toBeGreaterThan(2)
  })
})

/** A turn of several model calls, so that what a compression came to is counted within it. */
function callsAtFirst(messages: readonly Message[]) {
  const since = messages.length - messages.findLastIndex(({ role }) => role === 'user')
  return since < 6 ? { calls: [{ name: 'look', input: { path: 'x' } }] } : {}
}
