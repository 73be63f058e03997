import { type PluginContext, type SessionSummary, Sessions } from 'svc/sdk'
import type { SessionSearchResult } from 'svc/sdk/sessions'
import { Tui } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { dayMs, hostile, sessionsKernel, steering, talk } from './support.ts'

describe('svc sessions', () => {
  it('lists the conversations used last, and says how to begin when there is none', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, clock, kernel } = fixture
    expect(kernel.problems()).toEqual([])
    expect(await svc([])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('svc chat') })
    const first = talk(sessions, ['fix the build', 'done'])
    await clock.advance(60_000)
    const second = talk(sessions, ['write a poem', 'roses'], { surface: 'telegram' })
    const { out } = await svc(['list'])
    const lines = out.trim().split('\n')
    expect(lines[0]).toMatch(new RegExp(`^${second.id} .* 2 +telegram +write a poem$`))
    expect(lines[1]).toMatch(new RegExp(`^${first.id} .* 2 +cli +fix the build$`))
    expect((await svc([])).out).toBe(out)
  })

  it('keeps to filters, and says what is wrong with one', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions, clock } = fixture
    const old = talk(sessions, ['old'])
    await clock.jump(3 * dayMs)
    const fresh = talk(sessions, ['fresh'], { cwd: '/else' })
    const ids = async (...args: string[]) => (await json<SessionSummary[]>('list', ...args)).map(({ id }) => id)
    expect(await ids('--older-than', '2d')).toEqual([old.id])
    expect(await ids('--older-than', '48h')).toEqual([old.id])
    expect(await ids('--older-than', '1w')).toEqual([])
    expect(await ids('--newer-than', '2')).toEqual([fresh.id])
    expect(await ids('--newer-than', '2026-03-16')).toEqual([fresh.id])
    expect(await ids('--cwd', '/else')).toEqual([fresh.id])
    expect(await ids('--title', 'OL')).toEqual([old.id])
    expect(await ids('--limit', '1')).toEqual([fresh.id])
    for (const args of [
      ['--limit', '0'],
      ['--older-than', 'soon'],
      ['--newer-than', '2026-99-99'],
    ])
      expect(await svc(['list', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(args[1] as string) })
  })

  it('finds words and says where', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions } = fixture
    const session = talk(sessions, ['why does docker time out?', 'It says "exit code 137": AND NOT ("memory" OR *'])
    const { out } = await svc(['search', 'DOCK', 'time'])
    expect(out).toContain('why does docker time out?')
    expect(out).not.toMatch(/>>>|<<</)
    expect(out).toContain(session.id)
    expect(await json<SessionSearchResult[]>('search', '"exit code 137"')).toMatchObject([
      {
        sessionId: session.id,
        messageIndex: 1,
        role: 'assistant',
        snippet: expect.stringContaining('>>>exit code 137<<<'),
      },
    ])
    expect(await json<SessionSearchResult[]>('search', '("memory"')).toHaveLength(1)
    expect(await json<SessionSearchResult[]>('search', 'docker', '--role', 'assistant')).toEqual([])
    expect(await svc(['search', 'docker', '--role', 'boss'])).toMatchObject({ code: 2 })
    expect(await svc(['search', 'absent'])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('absent') })
  })

  it('shows a conversation with its tool calls, all of it or the end', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions } = fixture
    const { id } = talk(sessions, [
      'look',
      { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'terminal', input: { command: 'ls' } }] },
      { role: 'tool', callId: 'c', text: 'a.txt\nb.txt' },
      { role: 'assistant', text: 'two files' },
    ])
    const { out } = await svc(['show', id])
    expect(out).toContain('-> terminal {"command":"ls"}')
    expect(out).toContain('a.txt\nb.txt\n')
    const end = await svc(['show', id, '--limit', '1'])
    expect(end.out).toContain('3 earlier messages left out')
    expect(end.out).not.toContain('a.txt')
    const shown = await json<{ messages: { role: string }[] }>('show', id)
    expect(shown.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('takes the beginning of an id, lists what fits when that is not enough, and names the nearest', async () => {
    await using fixture = await sessionsKernel()
    const { svc, sessions, clock } = fixture
    const one = talk(sessions, ['first'])
    await clock.advance(dayMs)
    const other = talk(sessions, ['second'])
    expect(await svc(['resume', one.id.slice(0, 8)])).toMatchObject({ code: 0, out: `svc chat -r ${one.id}\n` })
    const several = await svc(['show', one.id.slice(0, 4)])
    expect(several).toMatchObject({ code: 1, out: '' })
    for (const { id } of [one, other]) expect(several.err).toContain(id)
    const typo = `${one.id.slice(0, -1)}_`
    expect(await svc(['show', typo])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Did you mean ${one.id}?`),
    })
    expect(await svc(['show', 'nonsense'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('svc sessions list'),
    })
    expect(await svc(['show', ''])).toMatchObject({ code: 1 })
  })

  it('says how much there is', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions } = fixture
    expect((await svc(['stats'])).out).toMatch(/^0 conversations, 0 messages, /)
    talk(sessions, ['hi', 'hello'])
    const { out } = await svc(['stats'])
    expect(out).toMatch(/^1 conversation, 2 messages, [\d.]+ MB\n/)
    expect(out).toContain('input 3')
    expect(await json('stats')).toMatchObject({ sessions: 1, surfaces: [{ surface: 'cli', messages: 2 }] })
  })

  it('never lets stored text steer the terminal, and JSON gives it back as it was', async () => {
    await using fixture = await sessionsKernel()
    const { svc, json, sessions } = fixture
    const { id } = talk(
      sessions,
      [
        hostile,
        { role: 'assistant', text: hostile, toolCalls: [{ id: 'c', name: hostile, input: { x: hostile } }] },
        { role: 'tool', callId: 'c', text: hostile, images: [{ mediaType: hostile, data: hostile }] },
      ],
      { surface: hostile, cwd: hostile },
    )
    sessions.rename(id, hostile)
    const exports = ['jsonl', 'md', 'html'].map((format) => ['export', '--format', format])
    const commands = [
      [],
      ['show', id],
      ['search', 'owned'],
      ['stats'],
      ['search', '\u001b[2Jabsent'],
      ['show', '\u001b[2J'],
    ]
    const dangerous = [
      ['list', '--json'],
      ['show', id, '--json'],
      ['search', 'owned', '--json'],
      ['stats', '--json'],
    ]
    for (const args of [
      ...commands,
      ...dangerous,
      ...exports,
      ['prune', '--older-than', '0d', '--dry-run'],
      ['rename', id, hostile],
    ]) {
      const { out, err } = await svc(args)
      expect(out + err, args.join(' ')).not.toMatch(steering)
    }
    const { messages } = await json<{ messages: { text: string }[] }>('show', id)
    expect(messages[0]?.text).toBe(hostile)
  })
})

describe('svc sessions resume', () => {
  it('opens the conversation on a terminal', async () => {
    const opened: unknown[] = []
    const screen = {
      name: 'screen',
      provides: ['terminal-ui'],
      setup: (ctx: PluginContext<undefined>) =>
        ctx.provide(Tui, () => ({
          missing: ({ columns }: { columns: number }) => (columns < 20 ? 'the terminal is too narrow' : undefined),
          run: async (_io: unknown, options: unknown) => {
            opened.push(options)
            return 0
          },
        })),
    }
    const kernel = await testKernel({
      plugins: ['sessions-cli'],
      with: [screen],
      config: { plugins: { disabled: ['tui'] } },
    })
    const { id } = talk(kernel.use(Sessions), ['first'])
    expect(await kernel.run(['sessions', 'resume', id], { interactive: true })).toMatchObject({ code: 0, out: '' })
    expect(opened).toEqual([{ sessionId: id, settings: {}, yolo: false }])
    const { out } = await kernel.run(['sessions', 'resume', id])
    expect(out).toBe(`svc chat -r ${id}\n`)
    expect(opened).toHaveLength(1)
    await kernel.stop()
  })
})

it('an export for chat completions has a line of messages for each conversation', async () => {
  await using fixture = await sessionsKernel()
  const { id } = talk(fixture.sessions, [
    'Read it',
    { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'read_file', input: { path: 'a' } }] },
    { role: 'tool', callId: 'c1', text: 'content' },
  ])
  talk(fixture.sessions, ['Hello'])
  fixture.sessions.open(id).setSystemPrompt('Be brief')
  const { out } = await fixture.svc(['export', '--format', 'openai'])
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toContainEqual({ messages: [{ role: 'user', content: 'Hello' }] })
  expect(lines).toContainEqual({
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Read it' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'content' },
    ],
  })
})
