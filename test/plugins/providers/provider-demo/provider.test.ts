import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { Agent, type Message, Sessions, type TurnEvent } from 'svc/sdk'
import { type ModelEvent, type ModelRequest, Providers, type ToolDefinition } from 'svc/sdk/provider'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { demoProvider } from '../../../../plugins/providers/provider-demo/provider.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const NAMES = ['list_files', 'read_file', 'search_files', 'write_file', 'terminal']
const TOOLS: readonly ToolDefinition[] = NAMES.map((name) => ({ name, description: '', parameters: {} }))
const provider = demoProvider(() => Date.UTC(2026, 0, 2, 12, 0))

/** One call of the model: its text and its tool calls. */
async function ask(messages: readonly Message[], more: Partial<ModelRequest> = {}) {
  const signal = new AbortController().signal
  const events: ModelEvent[] = []
  for await (const event of provider.stream({ model: 'demo', messages, tools: TOOLS, signal, ...more })) {
    events.push(...(Array.isArray(event) ? event : [event as ModelEvent]))
  }
  const pieces = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  return { events, pieces, text: pieces.join(''), calls }
}

function user(text: string): Message {
  return { role: 'user', text }
}

/** The whole of a turn against tools that answer by a function. */
async function converse(text: string, toolAnswers: (name: string) => string) {
  const messages: Message[] = [user(text)]
  for (let round = 0; round < 10; round++) {
    const { calls, text: said } = await ask(messages)
    if (calls.length === 0) return { said, rounds: round }
    messages.push({ role: 'assistant', text: '', toolCalls: calls })
    messages.push(...calls.map(({ id, name }): Message => ({ role: 'tool', callId: id, text: toolAnswers(name) })))
  }
  throw new Error('it never came to an answer')
}

describe('the demo', () => {
  test('asks for several tools at once, each under its own id', async () => {
    const { calls, text, events } = await ask([user('read a.txt and b.txt')])
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['read_file', { path: 'a.txt' }],
      ['read_file', { path: 'b.txt' }],
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    expect(text).toBe('')
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'tool-calls' })
  })

  test('does one thing after the other when it is asked to', async () => {
    const { rounds } = await converse("write 'x' to a.txt, then read a.txt, then run `date`", () => '1\tx')
    expect(rounds).toBe(3)
  })

  test('streams its answer in small pieces and counts what it used', async () => {
    const { pieces, text, events } = await ask([user('what can you do')])
    expect(pieces.length).toBeGreaterThan(10)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(24)
    expect(text).toContain('not an AI model')
    const usage = events.find((event) => event.type === 'usage')
    expect(usage).toMatchObject({ usage: { input: expect.any(Number), output: expect.any(Number) } })
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' })
  })

  test('says what it is once in a conversation', async () => {
    const first = await ask([user('what is 1 + 1')])
    expect(first.text).toMatch(/^1 \+ 1 = 2\n\n.*not an AI model/)
    const second = await ask([user('what is 1 + 1'), { role: 'assistant', text: first.text }, user('what is 2 + 2')])
    expect(second.text).toBe('2 + 2 = 4')
  })

  test('gives the same answer to the same conversation', async () => {
    for (const text of ['list files', 'what time is it', 'nonsense']) {
      expect((await ask([user(text)])).events).toEqual((await ask([user(text)])).events)
    }
  })

  test('tells of failures as they are told to it', async () => {
    const failures = {
      'read a.txt': '/x/a.txt does not exist.',
      'list src': 'Not allowed: denied.',
      'run `ls`': 'Not run: x.',
    }
    for (const [text, failure] of Object.entries(failures)) {
      expect((await converse(text, () => failure)).said).toContain(`That did not work: ${failure}`)
    }
    expect((await converse('write x to a.txt', () => '')).said).toContain('That did not work')
  })

  test('says that a tool is switched off instead of pretending', async () => {
    const { text, calls } = await ask([user('list the files and what is 2 * 3')], { tools: [] })
    expect(calls).toEqual([])
    expect(text).toContain('`list_files`, but it is switched off')
    expect(text).toContain('2 * 3 = 6')
  })

  test('admits that it does not understand, and gives examples', async () => {
    const { text } = await ask([user('please write me a poem about the sea')])
    expect(text).toContain('I did not understand "please write me a poem about the sea"')
    expect(text).toContain('list the files here')
  })

  test('shortens long results, and no code block ends inside of what it shows', async () => {
    const long = Array.from({ length: 500 }, (_, at) => `${at + 1}\tline ${at + 1}`).join('\n')
    const { said } = await converse('read a.txt', () => long)
    expect(said).toContain('line 40')
    expect(said).not.toContain('line 41')
    expect(said).toContain('460 more lines')
    const fenced = await converse('read a.md', () => '1\t````\n2\t```js')
    expect(fenced.said).toContain('`````\n````\n```js\n`````')
  })

  test('stops when it is told to', async () => {
    const { events } = await ask([user('what can you do')], { signal: AbortSignal.abort() })
    expect(events).toEqual([{ type: 'failed', failure: expect.objectContaining({ kind: 'aborted' }) }])
  })

  test('takes no conversation amiss: every stream ends, text is whole, and nothing is thrown', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('list files', 'read a.txt', 'run `x`', '\uD83D', '😀'.repeat(50), 'a'.repeat(10_000)),
    )
    const message: fc.Arbitrary<Message> = fc.oneof(
      text.map(user),
      text.map((said): Message => ({ role: 'assistant', text: said })),
      text.map((said): Message => ({ role: 'tool', callId: 'demo-1-0', text: said })),
      fc.constant<Message>({ role: 'assistant', text: '', toolCalls: [{ id: 'demo-1-0', name: 'x', input: 'odd' }] }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 6 }), async (messages) => {
        const { events, pieces } = await ask(messages)
        expect(['end', 'failed']).toContain(events.at(-1)?.type)
        expect(events.filter(({ type }) => type === 'failed')).toEqual([])
        for (const piece of pieces) expect(piece).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
      }),
      { numRuns: 100 },
    )
  })
})

describe('in the real loop', () => {
  /** Asks in a folder with files; gives the answer and the tools that were used. */
  async function play(text: string, files: Readonly<Record<string, string>> = {}) {
    const cwd = mkdtempSync(join(tmpdir(), 'svc-demo-'))
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), content)
    }
    await using kernel = await testKernel({
      plugins: ['agent', 'sessions', 'models', 'provider-demo', 'tool-files', 'tool-terminal'],
      config: { model: { provider: 'demo' } },
    })
    expect(kernel.problems()).toEqual([])
    const session = kernel.use(Sessions).create({ surface: 'test', cwd })
    const events: TurnEvent[] = []
    for await (const event of kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test' }))
      events.push(event)
    const said = events.flatMap((event) => (event.type === 'message.delta' ? [event.text] : [])).join('')
    const tools = events.flatMap((event) => (event.type === 'tool.complete' ? [`${event.name} ${event.ok}`] : []))
    return { said, tools, cwd, [Symbol.dispose]: () => removeFolder(cwd) }
  }

  test('"List the files in this folder" names the real files', async () => {
    using result = await play('List the files in this folder', { 'alpha.txt': '', 'beta.md': '', 'gamma/x': '' })
    expect(result.tools).toEqual(['list_files true'])
    for (const name of ['alpha.txt', 'beta.md', 'gamma/']) expect(result.said).toContain(`- ${name}`)
  })

  test('files are written, read and searched for real', async () => {
    using written = await play("write 'hello there' to notes/a.txt, then read notes/a.txt, then find there")
    expect(readFileSync(join(written.cwd, 'notes/a.txt'), 'utf8')).toBe('hello there')
    expect(written.tools).toEqual(['write_file true', 'read_file true', 'search_files true'])
    expect(written.said).toContain('Created notes/a.txt')
    expect(written.said).toContain('```\nhello there\n```')
    expect(written.said).toContain('notes/a.txt:1: hello there')
  })

  test('commands run for real, and an empty file never empties one that is there', async () => {
    using result = await play('run `echo $((6 * 7))`; create an empty file kept.txt', { 'kept.txt': 'content' })
    expect(result.said).toContain('```\n42\n```')
    expect(existsSync(join(result.cwd, 'kept.txt'))).toBe(true)
    expect(readFileSync(join(result.cwd, 'kept.txt'), 'utf8')).toBe('content')
  })

  test('what goes wrong is told with a way on', async () => {
    using result = await play('read REDME.md', { 'README.md': 'x' })
    expect(result.tools).toEqual(['read_file false'])
    expect(result.said).toMatch(/That did not work: .*REDME\.md does not exist\. Similar: .*README\.md/)
  })
})

test('it is always ready and offers one model', async () => {
  await using kernel = await testKernel({ plugins: ['models', 'provider-demo'] })
  const demo = kernel.all(Providers).get('demo')
  expect(await demo?.status()).toMatchObject({ ready: true })
  expect(await demo?.models()).toEqual([{ id: 'demo', label: 'Scripted demo' }])
})
