import { Agent, type Message, Sessions, type TurnEvent } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { collect } from '../../../support/scene.ts'

const picture = { mediaType: 'image/png', data: 'QUJD' }
const refused: ScriptedReply = { failure: { kind: 'picture-refused', message: 'm did not take a picture: too large.' } }
const tooLarge: ScriptedReply = { failure: { kind: 'payload-too-large', message: 'Too many bytes.' } }

/** A conversation with a picture in each of these questions, then one more question. */
async function ask(script: readonly ScriptedReply[], questions: readonly string[], fallback?: ScriptedReply) {
  const replies = [...questions.slice(1).map(() => 'Seen.'), ...script]
  const fake = fakeProvider(({ model }, call) =>
    model === 'fake-2' ? (fallback ?? '') : (replies[Math.min(call, replies.length - 1)] ?? ''),
  )
  const kernel = await testKernel({
    plugins: ['agent'],
    clock: virtualClock(),
    with: [fake.plugin],
    config: {
      model: {
        provider: 'fake',
        default: 'fake-1',
        fallbacks: fallback ? [{ provider: 'fake', model: 'fake-2' }] : [],
      },
    },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  let events: TurnEvent[] = []
  for (const text of questions)
    events = await collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test', images: [picture] }))
  const said = ({ messages }: { messages: readonly Message[] }) => messages.filter(({ role }) => role === 'user')
  const shown = (request: { messages: readonly Message[] }) =>
    said(request).map((message) => ('images' in message ? 'picture' : 'words'))
  return {
    asked: fake.requests.slice(questions.length - 1),
    other: fake.requests.filter(({ model }) => model === 'fake-2'),
    said,
    shown,
    notices: events.flatMap((event) => (event.type === 'notice' ? event.text : [])),
    end: events.at(-1),
    session,
  }
}

test('a picture that a service does not take is left out, which people and the model are told', async () => {
  const { asked, said, shown, notices, end, session } = await ask([refused, 'I see no picture.'], ['Look.'])
  expect(asked.map(shown)).toEqual([['picture'], ['words']])
  expect(asked.map(said)[1]?.[0]?.text).toBe('Look.\n[a picture that the service did not take]')
  expect(notices).toEqual(['m did not take a picture: too large. Asking again without pictures.'])
  expect(end).toMatchObject({ reason: 'completed' })
  expect(session.messages()[0]).toMatchObject({ images: [picture] })
})

test('a body with too many bytes loses its older pictures first, then all, and then nothing is left to try', async () => {
  const { asked, shown, notices, end } = await ask([tooLarge, tooLarge, tooLarge], ['One.', 'Two.'])
  expect(asked.map(shown)).toEqual([
    ['picture', 'picture'],
    ['words', 'picture'],
    ['words', 'words'],
  ])
  expect(notices).toEqual([
    'Too many bytes. Asking again without older pictures.',
    'Too many bytes. Asking again without pictures.',
  ])
  expect(end).toMatchObject({ reason: 'failed' })
})

test('a model that is asked instead may see what the first one did not take', async () => {
  const { other, shown } = await ask([refused, { failure: { kind: 'invalid' } }], ['Look.'], 'I see it.')
  expect(other.map(shown)).toEqual([['picture']])
})

test('without a picture there is nothing to leave out: the refusal is told', async () => {
  const fake = fakeProvider([refused])
  const kernel = await testKernel({
    plugins: ['agent'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'Look.', surface: 'test' }))
  expect(fake.requests).toHaveLength(1)
  expect(events.find(({ type }) => type === 'error')).toMatchObject({ code: 'MODEL_FAILED' })
})
