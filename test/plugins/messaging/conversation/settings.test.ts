import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, type ConversationSettings, Conversations, Sessions } from 'svc/sdk'
import { SelectedSettings } from 'svc/sdk/sessions'
import { fakeProvider, fakeTalk, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

async function start(home: string) {
  const fake = fakeProvider((_request, call) => `answer ${call}`)
  const kernel = await testKernel({
    home,
    plugins: ['conversation', 'session-commands', 'model-cli'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, fake, last: () => fake.requests.at(-1) }
}

/** A conversation of the terminal with what a command line asked for. */
function openWith(kernel: TestKernel, sessionId: string, given: Parameters<Conversations['start']>[1] | object) {
  const { front } = fakeTalk(kernel).conversation
  return kernel.use(Conversations).start(front, { cwd: kernel.home, sessionId, ...given })
}

test('what was set holds in the next process, for anyone who asks for a turn of the session', async () => {
  const home = temporaryFolder()
  const one = await start(home)
  const talk = fakeTalk(one.kernel)
  await talk.type('hello', '/model other-1', '/reasoning high')
  const { sessionId } = talk.conversation
  await one.kernel.stop()
  const two = await start(home)
  const again = fakeTalk(two.kernel, { sessionId })
  expect(again.conversation.settings).toEqual({ provider: 'fake', model: 'other-1', reasoning: 'high' })
  await again.type('and now?')
  expect(two.last()).toMatchObject({ model: 'other-1', reasoning: 'high' })
  await again.conversation.close()
  // A script, an API: they name no settings.
  for await (const _ of two.kernel.use(Agent).run({ sessionId, surface: 'api', text: 'via the API' }));
  expect(two.last()).toMatchObject({ model: 'other-1', reasoning: 'high' })
  for await (const _ of two.kernel.use(Agent).run({ sessionId, surface: 'api', text: 'other', model: 'asked-1' }));
  expect(two.last()).toMatchObject({ model: 'asked-1', reasoning: 'high' })
})

test('a new conversation has what the configuration says, a branch what its parent has, an old one its own', async () => {
  const { kernel } = await start(temporaryFolder())
  const talk = fakeTalk(kernel, { person: { confirm: true } })
  await talk.type('hello', '/model other-1')
  const trunk = talk.conversation.sessionId
  await talk.type('/new')
  expect(talk.conversation.settings).toEqual({})
  await talk.type('/model third-1', 'hello', `/resume ${trunk}`)
  expect(talk.conversation.settings.model).toBe('other-1')
  await talk.type('/branch')
  expect(talk.conversation.settings.model).toBe('other-1')
  await talk.type('/reasoning low', '/undo', '/reasoning')
  expect(talk.conversation.settings.reasoning).toBe('low')
})

test('a flag outweighs what was set, a command outweighs the flag, and a default of the place outweighs neither', async () => {
  const { kernel } = await start(temporaryFolder())
  const talk = fakeTalk(kernel)
  await talk.type('hello', '/model set-1')
  const { sessionId } = talk.conversation
  await talk.conversation.close()
  const open = (given: { settings?: ConversationSettings; standard?: ConversationSettings }) => {
    const conversation = openWith(kernel, sessionId, given)
    onTestFinished(() => conversation.close())
    return conversation
  }
  expect(open({ standard: { model: 'channel-1' } }).settings.model).toBe('set-1')
  expect(open({ settings: { model: 'flag-1' } }).settings).toEqual({ model: 'flag-1' })
  const flagged = open({ settings: { model: 'flag-1', maxIterations: 3 } })
  flagged.change({ provider: 'fake', model: 'typed-1' })
  expect(flagged.settings).toEqual({ provider: 'fake', model: 'typed-1', maxIterations: 3 })
  flagged.change({ provider: undefined, model: undefined })
  expect(flagged.settings).toEqual({ model: 'flag-1', maxIterations: 3 })
  const fresh = kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home }).id
  await flagged.switchTo(fresh)
  expect(flagged.settings).toEqual({ model: 'flag-1', maxIterations: 3 })
})

test.for<[string, object, string]>([
  ['a model whose provider is gone', { provider: 'gone', model: 'other-1' }, 'model other-1 of provider gone'],
  ['a level that nobody knows', { reasoning: 'ultra' }, 'reasoning "ultra"'],
  ['a setting of another version', { mood: 'merry' }, 'mood "merry"'],
])('%s that was stored is said once, ignored, and leaves the rest', async ([, stored, said]) => {
  const { kernel, last } = await start(temporaryFolder())
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home })
  session.setState(SelectedSettings, { maxIterations: 7, ...stored } as ConversationSettings)
  const talk = fakeTalk(kernel, { sessionId: session.id })
  await talk.type('hello', 'and now?')
  const told = talk.said.filter(({ text }) => text.includes('not available any more'))
  expect(told).toMatchObject([{ tone: 'warning', text: expect.stringContaining(said) }])
  expect(last()?.model).toBe('fake-1')
  expect(session.state(SelectedSettings)).toEqual({ maxIterations: 7 })
})

test('a turn that no conversation asks for ignores a chosen model whose provider is gone, and the log says so once', async () => {
  const { kernel, last } = await start(temporaryFolder())
  const session = kernel.use(Sessions).create({ surface: 'api', cwd: kernel.home })
  session.setState(SelectedSettings, { provider: 'gone', model: 'other-1', reasoning: 'high' })
  for (const text of ['one', 'two'])
    for await (const _ of kernel.use(Agent).run({ sessionId: session.id, surface: 'api', text }));
  expect(last()).toMatchObject({ model: 'fake-1', reasoning: 'high' })
  const log = readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8').split('\n')
  expect(log.filter((line) => line.includes('its provider is not there'))).toHaveLength(1)
})
