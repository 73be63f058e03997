/** Which conversation a message belongs to, and where what is said about it goes. */
import { defineTool, Tools } from 'svc/sdk'
import { Platforms } from 'svc/sdk/platform'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { stage } from './stage.ts'

type Requests = Awaited<ReturnType<typeof stage>>['model']['requests']
const asked = (requests: Requests) =>
  requests.map(({ messages }) => messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])))

test('threads of one chat are their own conversations, each answered in its thread', async () => {
  const { fake, gateway, model } = await stage((_, call) => `answer ${call}`)
  for (const threadId of ['one', 'two', undefined]) {
    await fake.say('ada', `in ${threadId}`, threadId === undefined ? {} : { threadId })
    await gateway.idle()
  }
  expect(asked(model.requests)).toEqual([['in one'], ['in two'], ['in undefined']])
  expect(fake.sent.map(({ chatId, threadId }) => [chatId, threadId])).toEqual([
    ['ada', 'one'],
    ['ada', 'two'],
    ['ada', undefined],
  ])
})

test('in a group everybody has a conversation alone, and what one says is not told to another', async () => {
  const { fake, gateway, model } = await stage((_, call) => `answer ${call}`)
  const group = { chatId: 'team', chatKind: 'group', isMention: true } as const
  await fake.say('ada', 'my salary is 5', group)
  await gateway.idle()
  await fake.say('bob', 'what do you know?', group)
  await gateway.idle()
  expect(asked(model.requests)).toEqual([['my salary is 5'], ['what do you know?']])
  expect(fake.sent.map(({ chatId }) => chatId)).toEqual(['team', 'team'])
})

test('all that is said in one turn stays: later words do not replace earlier ones', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Look',
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    run: async () => 'seen',
  })
  const looking = {
    name: 'looking',
    contributes: { tools: ['look'] },
    setup: (ctx: { add(point: typeof Tools, tool: typeof look): unknown }) => void ctx.add(Tools, look),
  }
  const script = [{ text: 'I look first.', calls: [{ name: 'look', input: {} }] }, 'It is there.']
  const { fake, gateway, said } = await stage(script, {
    with: [looking as never],
    config: { gateway: { tool_progress: 'off' } },
  })
  await fake.say('ada', 'where is it?')
  await gateway.idle()
  expect(said()).toEqual(['I look first.', 'It is there.'])
})

test('the first message of an answer in a group answers its question, and no other one does', async () => {
  const { fake, gateway } = await stage(['one', 'two'], { platform: { limits: { maxTextLength: 4096 } } })
  await fake.say('ada', 'here?', { chatId: 'team', chatKind: 'group', isMention: true, messageId: 'q1' })
  await gateway.idle()
  await fake.say('ada', 'alone?')
  await gateway.idle()
  expect(fake.sent.map(({ replyTo }) => replyTo)).toEqual(['q1', undefined])
})

test('a stranger in a group is offered nothing where everybody could read it', async () => {
  const { fake, gateway, said } = await stage([], {
    platform: { settings: { dm_policy: 'pairing', group_policy: 'allowlist', allow_all: false } },
  })
  await fake.say('eve', 'hello', { chatId: 'team', chatKind: 'group', isMention: true })
  await gateway.idle()
  expect(said()).toEqual([])
})

test('what comes through a connection that has ended is left to the one after it', async () => {
  const { fake, gateway, kernel, model, status } = await stage(['x'])
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  const links: Parameters<typeof platform.connect>[0][] = []
  const { connect } = platform
  platform.connect = async (link) => {
    links.push(link)
    await connect.call(platform, link)
  }
  await gateway.resume('fake')
  await gateway.resume('fake')
  expect(status()).toMatchObject({ state: 'connected' })
  const late = { platform: 'fake', chatId: 'ada', userId: 'ada', messageId: 'late', text: 'late' }
  await expect(links[0]?.receive(late)).rejects.toThrow('The connection was closed')
  await fake.say('ada', 'on time')
  await gateway.idle()
  expect(asked(model.requests)).toEqual([['on time']])
})

test('nothing is written to a platform after its connection was lost, until there is another', async () => {
  const { fake, outbox, kernel, status } = await stage([])
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  const send = vi.spyOn(platform, 'send')
  fake.lose('reset by peer')
  await vi.waitFor(() => expect(status()).toMatchObject({ state: 'retrying' }))
  outbox.post({ platform: 'fake', chatId: 'ada', key: 'k', text: 'waits' })
  await outbox.idle()
  expect(send).not.toHaveBeenCalled()
})
