import {
  defineTool,
  type PluginContext,
  Sessions,
  type SlashCommand,
  SlashCommands,
  type ToolCallView,
  Tools,
  type TurnEvent,
} from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

async function start(script: readonly ScriptedReply[]) {
  const fake = fakeProvider(script)
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  return { fake, kernel: await testKernel({ plugins: ['chat'], with: [fake.plugin], config }) }
}

test('the answer alone is on standard output; talk on the way and tools are on standard error', async () => {
  const call = { text: 'Let me look.', calls: [{ name: 'list_files', input: { path: '.' } }] }
  const { kernel } = await start([call, { pieces: ['Two ', 'files.'] }])
  const said = await kernel.run(['chat', '-q', 'what is here?'])
  expect(said).toMatchObject({ code: 0, out: 'Two files.\n' })
  expect(said.err).toContain('Let me look.\n· list_files .\n')
  await kernel.stop()
})

test('--json prints the stream, one event a line, as it is in the session', async () => {
  const { kernel } = await start(['hello'])
  const { out } = await kernel.run(['chat', '--json', '-q', 'hi'])
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TurnEvent)
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  expect(
    kernel
      .use(Sessions)
      .open(events[0]?.sessionId ?? '')
      .events(),
  ).toEqual(events)
  await kernel.stop()
})

test('--continue continues with the last conversation of the folder, --resume with any', async () => {
  const { kernel, fake } = await start(['one', 'two', 'three'])
  expect(await kernel.run(['chat', '-c', '-q', 'x'], { cwd: '/' })).toMatchObject({ code: 1, out: '' })
  await kernel.run(['chat', '-q', 'first'], { cwd: '/' })
  await kernel.run(['chat', '-c', '-q', 'second'], { cwd: '/' })
  expect(fake.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  const id = kernel.use(Sessions).latest()?.id ?? ''
  await kernel.run(['chat', '-r', id, '-q', 'third'])
  expect(kernel.use(Sessions).open(id).messages()).toHaveLength(6)
  expect((await kernel.run(['chat', '-r', 'nothing', '-q', 'x'])).err).toMatch(/SESSION_NOT_FOUND/)
  await kernel.stop()
})

test('no answer is exit code 1, with the reason on standard error only', async () => {
  const { kernel } = await start([{ failure: { kind: 'auth', message: 'The key is wrong.' } }])
  const said = await kernel.run(['chat', '-q', 'hi'])
  expect(said).toEqual({ code: 1, out: '', err: 'error: The key is wrong. (MODEL_FAILED)\n' })
  await kernel.stop()
})

test('control characters of a tool never reach the terminal', async () => {
  const { kernel } = await start([
    { calls: [{ name: 'no\u001b[2Jpe', input: { text: '\u001b]0;title\u0007' } }] },
    'ok',
  ])
  const { err } = await kernel.run(['chat', '-q', 'hi'])
  expect(err).not.toMatch(/[\u0007\u001b]/)
  await kernel.stop()
})

test('a wrong --max-turns is a usage error', async () => {
  const { kernel } = await start(['x'])
  expect(await kernel.run(['chat', '--max-turns', '0x', '-q', 'hi'])).toMatchObject({ code: 2, out: '' })
  await kernel.stop()
})

test('a conversation: questions, slash commands, typos, a new session, and goodbye', async () => {
  const { kernel, fake } = await start(['first answer', 'second answer'])
  const answers = ['hello', '/helo', '/status', '/new trip', 'n', '/new trip', 'y', 'again', '/quit', 'never asked']
  const { code, out } = await kernel.run(['chat'], { interactive: true, answers })
  expect(code).toBe(0)
  expect(out).toContain('first answer\n')
  expect(out).toContain('There is no command /helo. Did you mean /help?')
  expect(out).toMatch(/Conversation: hello \(\S+\)[\s\S]*Model: fake-1, Scripted model\n- Messages: 2/)
  expect(out).toContain('Nothing was changed.')
  expect(out).toContain('New conversation: trip')
  expect(fake.requests).toHaveLength(2)
  expect(fake.requests[1]?.messages).toHaveLength(2)
  expect(
    kernel
      .use(Sessions)
      .list()
      .map(({ title }) => title),
  ).toContain('trip')
  await kernel.stop()
})

test('Ctrl-C stops the answer and the conversation continues', async () => {
  const abort = new AbortController()
  const fake = fakeProvider((_request, call) => (call === 0 ? { gate: new Promise(() => {}) } : 'still here'))
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  await using kernel = await testKernel({ plugins: ['chat'], with: [fake.plugin], config })
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: '/' })
  const running = kernel.run(['chat', '-r', session.id, '-q', 'go'], { signal: abort.signal })
  while (!fake.requests.length) await new Promise((resolve) => setImmediate(resolve))
  abort.abort()
  expect((await running).code).toBe(130)
  const next = await kernel.run(['chat', '-r', session.id], { interactive: true, answers: ['are you there?'] })
  expect(next.out).toContain('still here')
})

test('who comes back to a conversation sees where it stopped, without escape sequences', async () => {
  const { kernel } = await start(['it is \u001b[31mred'])
  await kernel.run(['chat', '-q', 'what colour?'])
  const { out } = await kernel.run(['chat', '-c'], { interactive: true, answers: [] })
  expect(out).toContain('> what colour?\nit is [31mred\n')
  await kernel.stop()
})

const STEERING = '\u001b]0;evil\u0007text\u001b[2J\u009b1m\u009d52;c;x\u202eabc\u2066def\u2069'

test('what steers a terminal reaches neither a terminal nor a pipe, unless --raw asks for it', async () => {
  const { kernel } = await start([STEERING])
  const clean = ']0;eviltext[2J1m52;c;xabcdef\n'
  for (const interactive of [true, false])
    expect((await kernel.run(['chat', '-q', 'x'], { interactive })).out).toBe(clean)
  expect((await kernel.run(['chat', '-q', 'x', '--raw'])).out).toBe(`${STEERING}\n`)
  expect((await kernel.run(['chat'], { interactive: true, answers: ['x'] })).out).not.toMatch(/[\u0007\u001b\u202e]/)
  await kernel.stop()
})

test('--json writes it by its number, so that a program reads the same text', async () => {
  const { kernel } = await start([STEERING])
  const { out } = await kernel.run(['chat', '-q', 'x', '--json'])
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.find(({ type }) => type === 'message.complete').text).toBe(STEERING)
  await kernel.stop()
})

test('talk before a tool call is as harmless as the answer', async () => {
  const talk = { text: STEERING, calls: [{ name: 'nothing', input: {} }] }
  const { kernel } = await start([talk, 'done'])
  for (const interactive of [true, false]) {
    const { err } = await kernel.run(['chat', '-q', 'x'], { interactive })
    expect(err).not.toMatch(/[\u0007\u001b\u009b\u202e]/)
  }
  await kernel.stop()
})

test('the model asks at the prompt and continues with the answer; without a terminal it is told that no one is there', async () => {
  const call = { calls: [{ name: 'clarify', input: { question: 'Which\u001b[2J one?', choices: ['red', 'blue'] } }] }
  const { kernel, fake } = await start([call, 'done', call, 'alone'])
  const asked = await kernel.run(['chat'], { interactive: true, answers: ['paint it', '', '2'] })
  expect(asked.err).toContain('Which[2J one?\n  1  red\n  2  blue\n')
  expect(asked.out).toContain('done')
  expect(fake.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'blue' })
  await kernel.run(['chat', '-q', 'paint it'])
  expect(fake.requests[3]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    text: expect.stringContaining('No person is available'),
  })
  await kernel.stop()
})

test('a person is spoken to in their language and answers with the same keys; a pipe gets English', async () => {
  const call = { calls: [{ name: 'shell', input: { command: 'rm -r src' } }] }
  const wrong: ScriptedReply = { failure: { kind: 'auth', message: 'The key is wrong.' } }
  const fake = fakeProvider([call, 'done', call, 'done', wrong, wrong])
  const ran: string[] = []
  const tool = defineTool<{ command: string }>({
    name: 'shell',
    description: 'Runs.',
    input: z.object({ command: z.string() }),
    effect: 'once',
    toolset: 'terminal',
    reach: 'machine',
    acts: ({ command }) => ({ command }),
    run: async ({ command }) => String(ran.push(command)),
  })
  const shell = { name: 'shell', setup: (ctx: PluginContext<undefined>) => void ctx.add(Tools, tool) }
  const config = { model: { provider: 'fake', default: 'fake-1' }, display: { language: 'de' } }
  await using kernel = await testKernel({ plugins: ['chat', 'approvals'], with: [fake.plugin, shell], config })
  const choices = 'Erlauben? o = einmal, s = für diese Sitzung, p = für dieses Projekt, a = immer, d = ablehnen: '
  const talk = await kernel.run(['chat'], { interactive: true, answers: ['go', 'einmal?', 'on'] })
  expect(talk.err).toContain('shell möchte ausführen:\n    rm -r src\nGrund: deletes folders')
  expect(talk.err.split(choices)).toHaveLength(3)
  const single = await kernel.run(['chat', '-q', 'go'], { interactive: true, answers: ['Session'] })
  expect(single.err).toContain(choices)
  expect(ran).toEqual(['rm -r src', 'rm -r src'])
  const failed = await kernel.run(['chat', '-q', 'x'], { interactive: true })
  expect(failed.err).toBe('Fehler: The key is wrong. (MODEL_FAILED)\n')
  expect((await kernel.run(['chat', '-q', 'x'])).err).toBe('error: The key is wrong. (MODEL_FAILED)\n')
})

test('a process that was to be told of gets its word into the turn under way, and its own turn when there is none', async () => {
  const text = 'proc_1 ended with exit code 0'
  const notice = () => {
    const sessionId = kernel.use(Sessions).list()[0]?.id ?? ''
    return kernel.call(ProcessNotified, { processId: 'proc_1', sessionId, reason: 'completed', text })
  }
  const fake = fakeProvider((_, call) => {
    if (call === 0) void notice()
    return `answer ${call}`
  })
  const ping: SlashCommand = {
    name: 'ping',
    description: 'Tells of a process',
    category: 'test',
    run: async () => void (await notice()),
  }
  const kernel = await testKernel({
    plugins: ['chat'],
    with: [fake.plugin, { name: 'ping', setup: (ctx) => void ctx.add(SlashCommands, ping) }],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  await kernel.run(['chat'], { interactive: true, answers: ['hello', '/ping', 'and now?'] })
  const [{ id } = { id: '' }] = kernel.use(Sessions).list()
  const said = kernel.use(Sessions).open(id).messages()
  expect(said.map((message) => message.text)).toEqual([
    'hello',
    'answer 0',
    text,
    'answer 1',
    text,
    'answer 2',
    'and now?',
    'answer 3',
  ])
  await kernel.stop()
})

const look = defineTool({
  name: 'look',
  description: 'Look',
  input: z.object({ at: z.string() }),
  effect: 'pure',
  toolset: 'test',
  reach: 'nothing',
  run: async ({ at }) => `seen ${at}`,
})

/** What the plain conversation shows of a turn with two calls of one tool, below its greeting. */
async function plainly(display: object, view?: ToolCallView): Promise<string> {
  const looks = { calls: ['a', 'b'].map((at) => ({ name: 'look', input: { at } })), reasoning: 'First I look.' }
  const fake = fakeProvider([looks, { text: 'It is there.', usage: { input: 1200, output: 30 } }])
  const looking = {
    name: 'looking',
    contributes: { tools: ['look'] },
    setup: (ctx: PluginContext<undefined>) => void ctx.add(Tools, view ? { ...look, view } : look),
  }
  await using kernel = await testKernel({
    plugins: ['chat'],
    with: [fake.plugin, looking],
    config: { model: { provider: 'fake', default: 'fake-1' }, display },
  })
  const { out } = await kernel.run(['chat', '--plain'], { interactive: true, answers: ['where is it?'] })
  return out.split('\n').slice(1).join('\n')
}

test('the plain conversation shows of a turn what the settings of the display say', async () => {
  expect(await plainly({})).toBe('· look {"at":"a"}\n· look {"at":"b"}\nIt is there.\n')
  expect(await plainly({ tool_progress: 'off' })).toBe('It is there.\n')
  expect(await plainly({ tool_progress: 'new' })).toBe('· look {"at":"a"}\nIt is there.\n')
  expect(await plainly({ tool_progress: 'verbose' })).toContain('  seen a\n  seen b\nIt is there.')
  const platforms = { cli: { show_reasoning: true, tool_progress: 'off' } }
  expect(await plainly({ platforms })).toBe('> 💭\n> First I look.\nIt is there.\n')
  expect(await plainly({ show_cost: true, tool_progress: 'off' })).toMatch(/^It is there\.\n.*↑ [\d.k]+ ↓ \d+\n$/)
  expect(await plainly({ timestamps: true, tool_progress: 'off' })).toMatch(/^\d\d:\d\d\nIt is there\.\n\d\d:\d\d\n$/)
})

test('the plain conversation shows a call as the view of its tool says', async () => {
  const view: ToolCallView = { title: ({ input }) => `at ${(input as { at: string }).at}` }
  expect(await plainly({}, view)).toBe('· look at a\n· look at b\nIt is there.\n')
})

test('what was said before is not repeated where the settings of the display do not want it', async () => {
  const fake = fakeProvider(['red'])
  const config = { model: { provider: 'fake', default: 'fake-1' }, display: { resume_display: 'none' } }
  await using kernel = await testKernel({ plugins: ['chat'], with: [fake.plugin], config })
  await kernel.run(['chat', '-q', 'what colour?'])
  const { out } = await kernel.run(['chat', '-c'], { interactive: true, answers: [] })
  expect(out).not.toContain('what colour?')
})
