import { type CommandContext, SlashCommands } from 'svc/sdk'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

async function start(home: string) {
  const fake = fakeProvider((_request, call) => `answer ${call}`)
  const kernel = await testKernel({
    home,
    plugins: ['conversation', 'session-commands', 'approvals'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  onTestFinished(() => kernel.stop())
  return kernel
}

const REST = /Dangerous commands are asked about again/
const said = (talk: ReturnType<typeof fakeTalk>) => talk.said.map(({ text }) => text).join('\n')

test('/yolo ends with its process, and the next one says so, once', async () => {
  const home = temporaryFolder()
  const first = await start(home)
  const talk = fakeTalk(first)
  await talk.type('hello', '/yolo')
  const { sessionId } = talk.conversation
  await first.stop()
  const second = await start(home)
  const again = fakeTalk(second, { sessionId })
  await again.type('and now?')
  expect(said(again)).toMatch(REST)
  await again.conversation.close()
  const third = fakeTalk(second, { sessionId })
  await third.type('once more')
  expect(said(third)).not.toMatch(REST)
})

test('a branch asks again and says so; in the conversation itself it stays off', async () => {
  const kernel = await start(temporaryFolder())
  const talk = fakeTalk(kernel)
  await talk.type('hello', '/yolo')
  const trunk = talk.conversation.sessionId
  await talk.type('/branch')
  expect(said(talk)).toMatch(REST)
  const count = talk.said.length
  await talk.type(`/resume ${trunk}`)
  expect(
    talk.said
      .slice(count)
      .map(({ text }) => text)
      .join('\n'),
  ).not.toMatch(REST)
})

test('what was switched off before a reload of the plugin can be switched on again after it', async () => {
  const kernel = await start(temporaryFolder())
  const talk = fakeTalk(kernel)
  expect(await talk.type('/yolo')).toMatch(/now run without asking/)
  await kernel.plugins.reload('approvals')
  const command = kernel.all(SlashCommands).get('yolo')
  expect(await command?.run('', talk.conversation.place() as CommandContext)).toMatch(/ask for approval again/)
})
