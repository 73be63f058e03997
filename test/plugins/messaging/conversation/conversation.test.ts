import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Agent, Conversations, Sessions, type SlashCommand, SlashCommands } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WaitingStore } from '../../../../plugins/messaging/conversation/store.ts'

async function start(
  script: Parameters<typeof fakeProvider>[0],
  commands: readonly SlashCommand[] = [],
  config: object = {},
) {
  const fake = fakeProvider(script)
  const plugin = {
    name: 'test-commands',
    contributes: { 'slash-commands': commands.map(({ name }) => name) },
    setup: (ctx: { add(point: typeof SlashCommands, item: SlashCommand): unknown }) => {
      for (const command of commands) ctx.add(SlashCommands, command)
    },
  }
  const kernel = await testKernel({
    plugins: ['conversation', 'session-commands'],
    with: [fake.plugin, plugin as never],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...config },
  })
  onTestFinished(() => kernel.stop())
  return { kernel, fake }
}

function gate() {
  let open = () => {}
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { promise, open }
}

const destroy = (ran: string[]): SlashCommand => ({
  name: 'wipe',
  description: 'Wipe something',
  category: 'Test',
  destructive: true,
  run: async (args) => {
    ran.push(args)
    return 'wiped'
  },
})

test('a message is answered, an unknown command is helped, and text with a slash inside is a message', async () => {
  const { kernel } = await start(['hello', 'a path'])
  const talk = fakeTalk(kernel)
  await talk.type('hi')
  expect(talk.answers()).toEqual(['hello'])
  expect(await talk.type('/hepl')).toMatch(/no command \/hepl.*Did you mean \/help/)
  await talk.type('/etc/hosts is broken')
  expect(talk.answers()).toEqual(['hello', 'a path'])
})

test('help lists what there is, by category, or what has some words in it', async () => {
  const { kernel } = await start(['x'])
  const talk = fakeTalk(kernel)
  const all = await talk.type('/help')
  const categories = [...(all ?? '').matchAll(/^\*\*(.+)\*\*$/gm)].map(([, name]) => name)
  expect(categories.slice(0, 2)).toEqual(['Session', 'Configuration'])
  expect(categories.at(-1)).toBe('Info')
  expect(all).toContain('`/undo [count]` Undo your last message')
  expect(await talk.type('/help branch')).not.toContain('/undo')
  expect(await talk.type('/help nothinglikethat')).toMatch(/No command/)
})

test('a command by a beginning that only it has, and by its alias', async () => {
  const { kernel } = await start(['x'])
  const talk = fakeTalk(kernel)
  expect(await talk.type('/stat')).toContain('Messages: 0')
  expect(await talk.type('/q')).toBe('Nothing waits.')
})

test('what destroys asks first; yes does it, no leaves everything, and without a person the word has to be typed', async () => {
  const ran: string[] = []
  const { kernel } = await start(['x'], [destroy(ran)])
  expect(await fakeTalk(kernel, { person: { confirm: false } }).type('/wipe all')).toBe('Nothing was changed.')
  expect(await fakeTalk(kernel).type('/wipe all')).toBe('/wipe: Wipe something. Type /wipe now to do it.')
  expect(ran).toEqual([])
  expect(await fakeTalk(kernel, { person: { confirm: true } }).type('/wipe all')).toBe('wiped')
  expect(ran).toEqual(['all'])
})

test('the question says what the command does', async () => {
  const { kernel } = await start(['x'])
  const asked: string[] = []
  const confirm = async (question: string) => asked.push(question) < 0
  const front = { surface: 'cli', commands: 'cli', show() {}, say() {}, changed() {}, confirm } as const
  const conversation = kernel.use(Conversations).start(front, { cwd: kernel.home })
  await conversation.type('/reset')
  await conversation.type('/undo')
  expect(asked[0]).toBe(
    '/new: Start a new conversation. This removes the messages from view for you and the agent. Continue?',
  )
  expect(asked[1]).toMatch(/^\/undo: Undo your last message and its answer\./)
})

test('an alias is offered only where it is what one began to type', async () => {
  const { kernel } = await start(['x'])
  const { conversation } = fakeTalk(kernel)
  const texts = async (text: string) => (await conversation.complete(text)).map((found) => found.text.trim())
  const all = await texts('/')
  expect(all).toContain('/help')
  expect(all).toContain('/new')
  for (const alias of ['/commands', '/reset', '/exit', '/q']) expect(all).not.toContain(alias)
  expect(await texts('/q')).toEqual(['/queue', '/quit'])
  expect(await texts('/res')).toContain('/reset')
  expect(await texts('/N')).toContain('/new')
})

test.for(['now', '--yes', '-y', 'NOW', '--YES'])(
  'the word %s spares the question and is no part of the rest',
  async (word) => {
    const ran: string[] = []
    const { kernel } = await start(['x'], [destroy(ran)])
    const talk = fakeTalk(kernel)
    await talk.type(`/wipe ${word}`, `/wipe My ${word} notes`, '/wipe nowhere')
    expect(ran).toEqual(['', 'My notes'])
  },
)

test('the question is left out when the configuration says so', async () => {
  const ran: string[] = []
  const { kernel } = await start(['x'], [destroy(ran)], { approvals: { destructive_slash_confirm: false } })
  await fakeTalk(kernel).type('/wipe now or never')
  expect(ran).toEqual(['or never'])
})

test('while an answer is under way messages wait, steer or interrupt, and what changes messages is refused', async () => {
  const first = gate()
  const { kernel, fake } = await start([{ text: 'slow', gate: first.promise }, 'second', 'third'])
  const talk = fakeTalk(kernel)
  await talk.conversation.type('one')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  await talk.conversation.type('/queue two')
  await talk.conversation.type('/undo now')
  expect(talk.said.at(-1)?.text).toMatch(/is working/)
  talk.conversation.send('three', { whenBusy: 'queue' })
  expect(talk.conversation.queue.map(({ text }) => text)).toEqual(['two', 'three'])
  const [, last] = talk.conversation.queue
  expect(talk.conversation.unqueue(last?.id ?? '')?.text).toBe('three')
  first.open()
  await talk.conversation.idle()
  expect(talk.answers()).toEqual(['slow', 'second'])
})

test('where typing interrupts, what was under way is stopped and the new message is next', async () => {
  const { kernel, fake } = await start([{ text: 'never', gate: new Promise(() => {}) }, 'now'])
  const talk = fakeTalk(kernel)
  await talk.conversation.type('one')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  await talk.conversation.type('rather this', { whenBusy: 'interrupt' })
  await talk.conversation.idle()
  expect(talk.answers()).toEqual(['now'])
  expect(talk.events.filter(({ type }) => type === 'turn.end')).toMatchObject([
    { reason: 'interrupted' },
    { reason: 'completed' },
  ])
})

test('at a terminal a message that is typed during a turn reaches it as a hint, and stops nothing', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { kernel, fake } = await start([{ text: 'first', gate }, 'second'])
  const talk = fakeTalk(kernel)
  await talk.conversation.type('one')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  await talk.conversation.type('also this')
  open()
  await talk.conversation.idle()
  expect(talk.events.filter(({ type }) => type === 'turn.end')).toMatchObject([{ reason: 'completed' }])
  expect(fake.requests[1]?.messages.at(-1)?.text).toContain('also this')
})

test('an approval and a question of the model reach the person of this conversation only', async () => {
  const { kernel } = await start(['x'])
  const talk = fakeTalk(kernel, { person: { approve: 'once', answer: 'blue' } })
  const other = fakeTalk(kernel)
  await talk.type('hi')
  expect(kernel.use(Agent).busy(other.conversation.sessionId)).toBe(false)
  await talk.conversation.close()
  expect(talk.conversation.open).toBe(false)
  await other.conversation.close()
  await other.conversation.close()
})

test('another session is shown from now on, and a turn under way is stopped with the change', async () => {
  const { kernel, fake } = await start([{ text: 'never', gate: new Promise(() => {}) }, 'there'])
  const target = kernel.use(Sessions).create({ surface: 'cli', cwd: '/' })
  const talk = fakeTalk(kernel)
  await talk.conversation.type('one')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  await talk.conversation.switchTo(target.id)
  const { sessionId, cwd, busy } = talk.conversation
  expect({ sessionId, cwd, busy }).toEqual({ sessionId: target.id, cwd: '/', busy: false })
  await talk.type('hello')
  expect(
    kernel
      .use(Sessions)
      .open(target.id)
      .messages()
      .map(({ text }) => text),
  ).toEqual(['hello', 'there'])
  await expect(talk.conversation.switchTo('nothing')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect(talk.conversation.sessionId).toBe(target.id)
})

test('a line that a front end has parsed is not parsed again, unless its command was replaced meanwhile', async () => {
  const ran: string[] = []
  const greet: SlashCommand = {
    name: 'greet',
    description: 'Greet',
    category: 'Test',
    run: async (args) => {
      ran.push(args)
      return undefined
    },
  }
  const { kernel } = await start(['fine'], [greet])
  const { conversation } = fakeTalk(kernel)
  await conversation.type('/greet as typed', { command: { command: greet, args: 'as parsed' } })
  await conversation.type('/greet as typed', { command: { command: { ...greet }, args: 'by an older plugin' } })
  expect(ran).toEqual(['as parsed', 'as typed'])
})

test('a failure of a command is said, and the conversation continues', async () => {
  const broken: SlashCommand = {
    name: 'broken',
    description: 'Fail',
    category: 'Test',
    run: async () => {
      throw new Error('it is broken')
    },
  }
  const { kernel } = await start(['fine'], [broken])
  const talk = fakeTalk(kernel)
  expect(await talk.type('/broken')).toBe('it is broken')
  expect(talk.said.at(-1)?.tone).toBe('error')
  await talk.type('hi')
  expect(talk.answers()).toEqual(['fine'])
})

test('/retry asks again with the same message and nothing of the old answer', async () => {
  const { kernel, fake } = await start(['first', 'second'])
  const talk = fakeTalk(kernel)
  expect(await talk.type('/retry')).toMatch(/no message/)
  await talk.type('question', '/retry')
  expect(talk.answers()).toEqual(['first', 'second'])
  expect(fake.requests[1]?.messages.filter(({ role }) => role !== 'system')).toEqual([
    { role: 'user', text: 'question' },
  ])
})

test('completion: names of commands with their hint, subcommands, and what a command knows', async () => {
  const colours: SlashCommand = {
    name: 'colour',
    description: 'Choose a colour',
    category: 'Test',
    argsHint: '<name>',
    complete: async (args) =>
      ['red', 'green'].filter((name) => name.startsWith(args)).map((text) => ({ text, from: 0 })),
    run: async () => undefined,
  }
  const modes: SlashCommand = { ...colours, name: 'mode', subcommands: ['fast', 'slow'] }
  const { complete: _, ...plain } = modes
  const { kernel } = await start(['x'], [colours, plain])
  const { conversation } = fakeTalk(kernel)
  const texts = async (text: string) => (await conversation.complete(text)).map((found) => [found.text, found.from])
  expect(await texts('/col')).toEqual([['/colour ', 0]])
  expect(await texts('/colour g')).toEqual([['green', 8]])
  expect(await texts('/mode ')).toEqual([
    ['fast', 6],
    ['slow', 6],
  ])
  expect(await texts('hello')).toEqual([])
})

test('messages that waited when svc was killed are sent when their session is opened again, each once', async () => {
  const { kernel, fake } = await start((_request, call) => {
    return call === 0 ? { text: 'never', gate: new Promise(() => {}) } : `answer ${call}`
  })
  const talk = fakeTalk(kernel)
  await talk.conversation.type('one')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  const { sessionId } = talk.conversation
  const store = new WaitingStore({
    storage: () => kernel.use(Storage),
    file: join(kernel.home, 'data/conversation/waiting.db'),
  })
  // As another process would have left them: one that is gone.
  const left = spawnSync(process.execPath, ['-e', '']).pid
  store.add(sessionId, { text: 'two' }, left)
  store.add(sessionId, { text: 'three' }, left)
  store.add('another session', { text: 'four' }, left)
  await talk.conversation.close()
  const again = fakeTalk(kernel, { sessionId })
  await again.conversation.idle()
  expect(again.answers()).toEqual(['answer 1', 'answer 2'])
  expect(store.takeLeft(sessionId)).toEqual([])
  await again.conversation.close()
  const third = fakeTalk(kernel, { sessionId })
  await third.conversation.idle()
  expect(third.answers()).toEqual([])
  await store.close()
})

test('messages that interrupt one another are asked in the order in which they came, each once', async () => {
  const { kernel, fake } = await start([{ text: 'never', gate: new Promise(() => {}) }, 'second', 'third', 'later'])
  const talk = fakeTalk(kernel)
  await talk.conversation.type('one')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  talk.conversation.send('last', { whenBusy: 'queue' })
  talk.conversation.send('two', { whenBusy: 'interrupt' })
  talk.conversation.send('three', { whenBusy: 'interrupt' })
  expect(talk.conversation.queue.map(({ text }) => text)).toEqual(['two', 'three', 'last'])
  await talk.conversation.idle()
  const asked = fake.requests.map(({ messages }) => messages.findLast(({ role }) => role === 'user')?.text)
  expect(asked.slice(1)).toEqual(['one\n\ntwo', 'three', 'last'])
})

test('a request that was stopped is not read together with the next one', async () => {
  const { kernel, fake } = await start([{ text: 'never', gate: new Promise(() => {}) }, 'hello'])
  const talk = fakeTalk(kernel)
  await talk.conversation.type('delete everything')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1))
  expect(talk.conversation.stop()).toBe(true)
  await talk.conversation.idle()
  await talk.type('hi')
  expect(fake.requests[1]?.messages.map(({ role, text }) => [role, text]).slice(-3)).toEqual([
    ['user', 'delete everything'],
    ['assistant', expect.stringContaining('stopped')],
    ['user', 'hi'],
  ])
})
