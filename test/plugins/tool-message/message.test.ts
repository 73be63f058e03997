import { type Destination, Outbox, SvcError, type Tool, type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, testKernel, toolContract } from 'svc/sdk/testing'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

const CHATS: readonly Destination[] = [
  { target: 'telegram', label: 'Telegram, home chat' },
  { target: 'telegram:42', label: 'Family' },
]

/** An outbox as the gateway has one: the same key makes one message. */
function fakeOutbox(chats: readonly Destination[] = CHATS) {
  const sent = new Map<string, { target: string; text: string }>()
  const outbox: Pick<Outbox, 'destinations' | 'send'> = {
    destinations: () => chats,
    send: ({ key, target, text }) => {
      if (!chats.some((chat) => chat.target === target))
        throw new SvcError('OUTBOX_TARGET_UNKNOWN', 'There is no such chat.')
      sent.set(key, { target, text })
      return { id: `m-${key}` }
    },
  }
  const plugin = {
    name: 'fake-gateway',
    provides: ['outbox'],
    setup: (ctx) => void ctx.provide(Outbox, () => outbox as Outbox),
  } satisfies NonNullable<NonNullable<Parameters<typeof testKernel>[0]>['with']>[number]
  return { plugin, sent }
}

async function open(chats?: readonly Destination[]) {
  const { plugin, sent } = fakeOutbox(chats)
  const kernel = await testKernel({ with: [plugin] })
  onTestFinished(() => kernel.stop())
  const tool = kernel.all(Tools).get('send_message') as Tool
  const call = async (input: object, key = 'k1'): Promise<ToolResult> => {
    const parsed = await tool.input['~standard'].validate(input)
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    return (await tool.run(parsed.value, fakeToolTurn({ key }))) as ToolResult
  }
  return { tool, sent, call }
}

test('a message is handed over once, however often the call is repeated', async () => {
  const { call, sent } = await open()
  const input = { target: 'telegram:42', message: 'The build is done.' }
  expect(await call(input)).toMatchObject({
    text: 'Handed over for Family (telegram:42); it is sent as soon as the platform takes it.',
    data: { id: 'm-k1', target: 'telegram:42' },
  })
  await call(input)
  expect([...sent.values()]).toEqual([{ target: 'telegram:42', text: 'The build is done.' }])
  await call(input, 'k2')
  expect(sent.size).toBe(2)
})

test('the targets can be listed', async () => {
  const { call } = await open()
  expect((await call({ action: 'list' })).text).toBe('telegram  Telegram, home chat\ntelegram:42  Family')
})

test('a chat that is not there is refused with those that are, and nothing is sent', async () => {
  const { call, sent } = await open()
  await expect(call({ target: 'signal', message: 'hi' })).rejects.toThrow(
    'Not sent: there is no chat "signal". Targets: telegram, telegram:42.',
  )
  await expect(call({ message: 'hi' })).rejects.toThrow('the target is missing')
  await expect(call({ target: 'telegram', message: '  ' })).rejects.toThrow('no words')
  expect(sent.size).toBe(0)
})

test('without a connected platform it says what is missing', async () => {
  expect((await open([])).tool.missing?.()).toBe('needs a connected chat platform')
  expect((await open()).tool.missing?.()).toBeUndefined()
})

test('without a gateway nothing brings the tool, and asked for by name it knows nobody to write to', async () => {
  const kernel = await testKernel({ plugins: ['tool-todo'] })
  onTestFinished(() => kernel.stop())
  expect(kernel.all(Tools).get('send_message')).toBeUndefined()
  await kernel.plugins.enable('tool-message')
  const tool = kernel.all(Tools).get('send_message') as Tool
  expect(tool.missing?.()).toBe('needs a connected chat platform')
  expect(await tool.run({ action: 'list' }, fakeToolTurn())).toMatchObject({ text: 'There is no chat to write to.' })
  const send = { action: 'send', target: 'fake:ada', message: 'hi' }
  await expect(tool.run(send, fakeToolTurn())).rejects.toThrow('there is no chat "fake:ada"')
})

describe('send_message keeps the contract of tools', async () => {
  const kernel = await testKernel({ with: [fakeOutbox().plugin] })
  afterAll(() => kernel.stop())
  const tool = kernel.all(Tools).get('send_message') as Tool
  const samples = [
    { input: { target: 'telegram', message: 'hi' }, text: 'Handed over' },
    { input: { target: 'nowhere', message: 'hi' }, text: 'Not sent', failed: true },
  ]
  test.for(toolContract(tool, samples))('send_message $name', ({ run }) => run())
})
