/** Conversations are named by a model where one is set for it, and only then. */
import { Sessions } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'

const isNaming = ({ messages }: ModelRequest) => messages.at(-1)?.text.startsWith('Write a title') === true

async function start(
  title: string | { failure: object },
  auxiliary: object = { title: { provider: 'fake', model: 'small' } },
) {
  const fake = fakeProvider((request) => (isNaming(request) ? title : 'An answer.') as never)
  const kernel = await testKernel({
    plugins: ['conversation', 'session-titles', 'session-commands'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' }, auxiliary },
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel)
  const titleNow = () => kernel.use(Sessions).summary(talk.conversation.sessionId).title
  return { kernel, fake, talk, titleNow, named: () => fake.requests.filter(isNaming) }
}

test('the first turn of a conversation gives it a title, later ones do not', async () => {
  const { talk, titleNow, named } = await start('"Flaky test of the mail server."\nIt is about a test.')
  await talk.type('why does mail.test.ts fail now and then?')
  await vi.waitFor(() => expect(titleNow()).toBe('Flaky test of the mail server'))
  expect(named()[0]).toMatchObject({ model: 'small' })
  expect(named()[0]?.messages[0]?.text).toContain('<data>\nUser: why does mail.test.ts fail')
  await talk.type('and how is it fixed?')
  await talk.conversation.idle()
  expect(named()).toHaveLength(1)
})

test('no one is asked without its own model', async () => {
  const { talk, titleNow, named } = await start('Never', {})
  await talk.type('hello there')
  await talk.conversation.idle()
  expect([titleNow(), named()]).toEqual(['hello there', []])
})

test('a title that a person gave is kept', async () => {
  const { talk, titleNow, named } = await start('Never')
  await talk.type('/title My trip')
  await talk.type('where to?')
  await talk.conversation.idle()
  expect(titleNow()).toBe('My trip')
  expect(named()).toEqual([])
})

test('a call that fails leaves the first line', async () => {
  const failure = { failure: { kind: 'auth', message: 'The key is wrong.', retryable: false } }
  const { talk, titleNow, fake } = await start(failure)
  await talk.type('hello there')
  await vi.waitFor(() => expect(fake.requests.filter(isNaming).length).toBeGreaterThan(0))
  await talk.conversation.idle()
  expect(titleNow()).toBe('hello there')
})
