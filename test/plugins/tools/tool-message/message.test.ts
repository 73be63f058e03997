import { realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError, type Tool, type ToolResult, Tools } from 'svc/sdk'
import { Outbox, type OutboxFile, type OutboxTarget } from 'svc/sdk/platform'
import { fakeToolTurn, testKernel, toolContract } from 'svc/sdk/testing'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

const CHATS: readonly OutboxTarget[] = [
  { target: 'telegram', label: 'Telegram, home chat' },
  { target: 'telegram:42', label: 'Family' },
]

/** An outbox as the gateway has one: the same key makes one message. */
function fakeOutbox(chats: readonly OutboxTarget[] = CHATS) {
  const sent = new Map<string, { target: string; text: string }>()
  const outbox: Pick<Outbox, 'destinations' | 'send'> = {
    destinations: () => chats,
    send: ({ key, target, text }) => {
      if (!chats.some((chat) => chat.target === target))
        throw new SvcError('OUTBOX_TARGET_UNKNOWN', 'There is no such chat.')
      sent.set(key, { target, text })
      return { id: `m-${key}`, declined: [] }
    },
  }
  const plugin = {
    name: 'fake-gateway',
    provides: ['outbox'],
    setup: (ctx) => void ctx.provide(Outbox, () => outbox as Outbox),
  } satisfies NonNullable<NonNullable<Parameters<typeof testKernel>[0]>['with']>[number]
  return { plugin, sent }
}

async function open(chats?: readonly OutboxTarget[]) {
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
  await expect(call({ target: 'telegram', message: '  ' })).rejects.toThrow('neither words nor files')
  expect(sent.size).toBe(0)
})

test('without a connected platform it says what is missing', async () => {
  expect((await open([])).tool.missing?.()).toBe('needs a connected chat platform')
  expect((await open()).tool.missing?.()).toBeUndefined()
})

test('without a gateway nothing brings the tool, and asked for by name it knows no one to write to', async () => {
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

describe('files of messages', () => {
  const letters = new Map<string, readonly OutboxFile[]>()
  /** An outbox that keeps what it is handed, beside the real guard of files. */
  async function withFiles(declined: readonly { name: string; reason: string }[] = []) {
    letters.clear()
    const outbox: Pick<Outbox, 'destinations' | 'send' | 'fileIds'> = {
      destinations: () => CHATS,
      fileIds: (key) => (letters.get(key) ?? []).flatMap(({ id }) => id ?? []),
      send: ({ key, files = [] }) => {
        if (!letters.has(key)) letters.set(key, files)
        return { id: 'm', declined }
      },
    }
    const plugin = {
      name: 'fake-gateway',
      provides: ['outbox'],
      setup: (ctx: { provide(service: typeof Outbox, make: () => Outbox): unknown }) =>
        void ctx.provide(Outbox, () => outbox as Outbox),
    }
    const kernel = await testKernel({ with: [plugin as never] })
    onTestFinished(() => kernel.stop())
    const cwd = temporaryFolder()
    const tool = kernel.all(Tools).get('send_message') as Tool
    const call = async (input: object) => {
      const parsed = await tool.input['~standard'].validate(input)
      if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
      return (await tool.run(parsed.value, fakeToolTurn({ key: 'k1', cwd }))) as ToolResult
    }
    return { kernel, cwd, tool, call }
  }
  const sent = () => (letters.get('k1') ?? []).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])

  test('files are read when they are sent, and a repeated call does not need them any more', async () => {
    const { cwd, call } = await withFiles()
    writeFileSync(join(cwd, 'a.pdf'), 'first')
    const input = { target: 'telegram', message: 'See.', files: ['a.pdf'] }
    expect(await call(input)).toMatchObject({ data: { files: 1 } })
    rmSync(join(cwd, 'a.pdf'))
    await call(input)
    expect(sent()).toEqual([['a.pdf', 'first']])
  })

  test('gates are told which files would be read', async () => {
    const { tool, cwd } = await withFiles()
    const acts = await tool.acts?.({ action: 'send', target: 'telegram', files: ['a.pdf'] }, { cwd, sessionId: 's' })
    expect(acts).toEqual({ writes: [], reads: ['a.pdf'] })
  })

  test('secrets, folders, what is empty and what is not there are refused, and then nothing is sent', async () => {
    const { cwd, call, kernel } = await withFiles()
    writeFileSync(join(cwd, 'good.txt'), 'good')
    writeFileSync(join(cwd, '.env'), 'KEY=1')
    writeFileSync(join(cwd, 'empty.txt'), '')
    writeFileSync(join(kernel.home, '.env'), 'KEY=1')
    symlinkSync(join(kernel.home, '.env'), join(cwd, 'link.txt'))
    for (const bad of ['.env', 'link.txt', 'empty.txt', 'gone.txt', '.', '/etc/shadow', '/dev/zero'])
      await expect(call({ target: 'telegram', message: 'x', files: ['good.txt', bad] })).rejects.toThrow('Not sent: ')
    expect(letters.size).toBe(0)
  })

  test('files without a target go with the answer, and the model is told what a platform does not take', async () => {
    const { cwd, call } = await withFiles([{ name: 'a.pdf', reason: 'IRC takes no files' }])
    writeFileSync(join(cwd, 'a.pdf'), 'pdf')
    expect(await call({ message: 'the plan', files: ['a.pdf'] })).toMatchObject({
      text: 'Goes out with your answer: a.pdf.',
      files: [{ path: join(realpathSync(cwd), 'a.pdf'), name: 'a.pdf', caption: 'the plan' }],
    })
    expect((await call({ target: 'telegram', files: ['a.pdf'] })).text).toContain(
      'a.pdf is only named there: IRC takes no files.',
    )
  })
})
