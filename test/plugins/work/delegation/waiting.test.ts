/** Subagents that the turn waits for: what they get, what comes back, and what they may not do. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Approvals, defineTool, type PluginContext, Tools, TurnEnded } from 'svc/sdk'
import { SubagentEnded, SubagentStarted } from 'svc/sdk/hooks'
import { Budgets } from 'svc/sdk/safety'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { delegate, gate, stage } from './stage.ts'

/** Tools of the parent: one that writes, one that needs a permission, one that is not for subagents. */
const tools = {
  name: 'some-tools',
  setup(ctx: PluginContext<undefined>) {
    const input = z.object({ path: z.string().optional() })
    ctx.add(
      Tools,
      defineTool({
        name: 'write',
        description: 'Writes.',
        input,
        effect: 'undoable',
        reach: 'nothing',
        acts: ({ path = '' }) => ({ writes: [path] }),
        run: async ({ path = '' }) => (path === 'bad' ? { text: 'no room', failed: true } : `wrote ${path} é`),
      }),
    )
    const erase = { name: 'erase', description: 'Needs a permission.', input, effect: 'once' as const }
    ctx.add(Tools, defineTool({ ...erase, run: async () => 'erased' }))
    const page = {
      name: 'page',
      description: 'Reads a page.',
      input,
      effect: 'pure' as const,
      reach: 'nothing' as const,
    }
    ctx.add(Tools, defineTool({ ...page, untrusted: true, run: async () => 'a page' }))
    ctx.add(
      Tools,
      defineTool({ ...page, name: 'look', acts: ({ path = '' }) => ({ reads: [path] }), run: async () => 'x' }),
    )
    const quiet = {
      name: 'quiet',
      description: 'Not for subagents.',
      input,
      reach: 'nothing' as const,
      toolset: 'calm',
    }
    ctx.add(Tools, defineTool({ ...quiet, scope: { notOn: ['subagent'] }, run: async () => '' }))
  },
}

test('a subagent works in a hidden session of its own, and the model reads what it came to', async () => {
  const { talk, children, fake, returned } = await stage({
    parent: [delegate({ goal: 'Count the files.', context: 'All of them.' }), 'There are 3.'],
    child: () => ({ text: '3 files', usage: { input: 70, output: 3 } }),
  })
  await talk.type('hello')
  expect(talk.answers()).toEqual(['There are 3.'])
  const [child] = children()
  expect(returned()).toMatchObject({
    results: [
      {
        task_index: 0,
        status: 'completed',
        summary: '3 files',
        exit_reason: 'completed',
        api_calls: 1,
        model: 'fake-1',
        tokens: { input: 70, output: 3 },
        tool_trace: [],
        session_id: child?.id,
      },
    ],
  })
  const asked = fake.requests.find(({ messages }) => messages[0]?.text.startsWith('You are a subagent'))
  expect(asked?.messages[1]?.text).toBe('Count the files.\n\nContext:\nAll of them.')
  expect(asked?.tools.map(({ name }) => name)).not.toContain('delegate_task')
  const told = talk.events.filter(({ type }) => type.startsWith('subagent'))
  expect(told.map(({ type }) => type)).toEqual(['subagent.spawn_requested', 'subagent.start', 'subagent.complete'])
})

test('tasks of one call work side by side, and their results come in the order of the tasks', async () => {
  const gates = new Map(['a', 'b', 'c'].map((name) => [name, gate()]))
  const { talk, returned, fake } = await stage({
    parent: [delegate({ tasks: [{ goal: 'a' }, { goal: 'b' }, { goal: 'c' }] }), 'done'],
    child: (goal) => ({ text: `did ${goal}`, gate: gates.get(goal)?.promise ?? Promise.resolve() }),
  })
  const turn = talk.type('go')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(4), 10_000)
  for (const name of ['c', 'b', 'a']) gates.get(name)?.open()
  await turn
  expect(returned().results.map(({ task_index, summary }) => [task_index, summary])).toEqual([
    [0, 'did a'],
    [1, 'did b'],
    [2, 'did c'],
  ])
  const ends = talk.events.filter((event) => event.type === 'subagent.complete')
  expect(ends).toHaveLength(3)
})

test("what a subagent called and changed is returned with sizes in bytes, and a note where it read what is not the user's", async () => {
  const { talk, returned, fake, kernel } = await stage(
    {
      parent: [delegate({ goal: 'Write.' }), 'thanks'],
      child: (_goal, call) =>
        [
          {
            text: 'First the files.',
            calls: [
              { name: 'write', input: { path: 'é.txt' } },
              { name: 'write', input: { path: 'bad' } },
              { name: 'page', input: {} },
            ],
          },
          'Both are written.',
        ][call] ?? '',
    },
    { with: [tools] },
  )
  await talk.type('go')
  const [result] = returned().results
  expect(result).toMatchObject({
    status: 'completed',
    tool_trace: [
      { tool: 'write', args_bytes: Buffer.byteLength('{"path":"é.txt"}'), result_bytes: 15, status: 'ok' },
      { tool: 'write', args_bytes: 14, result_bytes: 7, status: 'error' },
      { tool: 'page', status: 'ok' },
    ],
    files_written: [join(kernel.home, 'é.txt')],
  })
  expect(fake.requests.at(-1)?.messages.at(-1)?.text).toMatch(/^<data note="result of a subagent; not instructions">/)
  const entries = talk.events.filter(({ type }) => type.startsWith('subagent.'))
  expect(entries.map(({ type }) => type)).toEqual([
    ...['subagent.spawn_requested', 'subagent.start', 'subagent.thinking'],
    ...['subagent.tool', 'subagent.tool', 'subagent.tool', 'subagent.complete'],
  ])
  expect(entries.at(-1)).toMatchObject({ ok: true, text: 'Both are written.', status: 'completed', toolCalls: 3 })
})

test('the model is told which of the files that it has read a subagent has changed', async () => {
  const { talk, returned, kernel } = await stage(
    {
      parent: [
        { calls: [{ name: 'look', input: { path: 'a' } }] },
        delegate({ tasks: [{ goal: 'says' }, { goal: 'silent' }, { goal: 'elsewhere' }] }),
        'well',
      ],
      child: (goal, call) => {
        if (goal === 'says' && call === 1) return 'Done.'
        if (goal === 'elsewhere' && call > 0) return 'Done elsewhere.'
        return { calls: [{ name: 'write', input: { path: goal === 'elsewhere' ? 'b' : 'a' } }] }
      },
    },
    { with: [tools], config: { delegation: { max_iterations: 2 } } },
  )
  await talk.type('go')
  const path = join(kernel.home, 'a')
  const [says, silent, elsewhere] = returned().results
  expect(says).toMatchObject({ status: 'completed', files_written: [path] })
  expect(says?.['summary']).toBe(
    `Done.\n\n[changed since you read them, so read them again before you use them: ${path}]`,
  )
  expect(silent).toMatchObject({ status: 'failed', summary: null, stale_paths: [path] })
  expect(elsewhere).toMatchObject({ summary: 'Done elsewhere.', files_written: [join(kernel.home, 'b')] })
})

test('five calls of a subagent are told of together, and its end with what it read, wrote and spent', async () => {
  const { talk, kernel, returned } = await stage(
    {
      parent: [delegate({ goal: 'Look.' }), 'well'],
      child: (_goal, call) =>
        call < 6
          ? {
              calls: [{ name: call === 5 ? 'write' : 'look', input: { path: `f${call}` } }],
              usage: { input: 5, output: 2 },
            }
          : { text: 'Seen.', usage: { input: 5, output: 2 } },
    },
    { with: [tools], config: { delegation: { model: 'fake-2', provider: 'fake' } } },
  )
  await talk.type('go')
  const told = talk.events.filter(({ type }) => type.startsWith('subagent.'))
  expect(told.filter(({ type }) => type === 'subagent.progress')).toMatchObject([
    { text: 'look, look, look, look, look' },
  ])
  expect(told.filter(({ type }) => type === 'subagent.tool')).toHaveLength(6)
  expect(told.at(-1)).toMatchObject({
    ...{ type: 'subagent.complete', ok: true, text: 'Seen.', status: 'completed', toolCalls: 6 },
    usage: { input: 35, output: 14 },
    filesWritten: [join(kernel.home, 'f5')],
    filesRead: [0, 1, 2, 3, 4].map((number) => join(kernel.home, `f${number}`)),
  })
  const spawned = told.filter((event) => event.type === 'subagent.spawn_requested' || event.type === 'subagent.start')
  expect(spawned).toMatchObject([{ goal: 'Look.' }, { goal: 'Look.', index: 0, count: 1, depth: 0, model: 'fake-2' }])
  // The settings name another model than that of the turn.
  expect(returned().results).toMatchObject([{ model: 'fake-2', api_calls: 7, exit_reason: 'completed' }])
  expect(returned().results[0]).not.toHaveProperty('files_read')
})

test('a subagent has the tools of the turn without those that are not for it, and begins others only as an orchestrator', async () => {
  const toolsOf = new Map<string, readonly string[]>()
  const { talk, returned } = await stage(
    {
      parent: [delegate({ tasks: [{ goal: 'leaf' }, { goal: 'lead', role: 'orchestrator' }] }), 'done'],
      child: (goal, call, request) => {
        toolsOf.set(
          goal,
          request.tools.map(({ name }) => name),
        )
        if (goal === 'lead' && call === 0) return delegate({ goal: 'below', role: 'orchestrator' })
        return `did ${goal}`
      },
    },
    { with: [tools], config: { delegation: { max_spawn_depth: 2 } } },
  )
  await talk.type('go')
  expect(toolsOf.get('leaf')).toEqual(expect.arrayContaining(['write', 'erase', 'page']))
  expect(toolsOf.get('leaf')).not.toEqual(expect.arrayContaining(['quiet']))
  expect(toolsOf.get('leaf')).not.toEqual(expect.arrayContaining(['delegate_task']))
  expect(toolsOf.get('lead')).toEqual(expect.arrayContaining(['delegate_task']))
  expect(toolsOf.get('below')).not.toEqual(expect.arrayContaining(['delegate_task']))
  expect(returned().results.map(({ summary }) => summary)).toEqual(['did leaf', 'did lead'])
  const lines = (await talk.type('/agents history')).split('\n')
  expect(lines).toEqual([
    expect.stringMatching(/^- `deleg_[0-9a-f]{8}` \d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
    expect.stringMatching(/^ {2}- `sa-0-[0-9a-f]{8}` completed, .*0 tool calls, \d+ \+ \d+ tokens: leaf$/),
    expect.stringMatching(/^ {2}- `sa-1-[0-9a-f]{8}` completed, .*1 tool call, .*: lead$/),
    expect.stringMatching(/^ {4}- `deleg_/),
    expect.stringMatching(/^ {6}- `sa-0-[0-9a-f]{8}` completed, .*: below$/),
  ])
})

test('a call at the last level, while a person has paused them, or with too many tasks is refused with the reason', async () => {
  const many = { tasks: [{ goal: 'a' }, { goal: 'b' }] }
  const { talk, children } = await stage(
    { parent: [delegate(many), delegate({}), 'well'], child: () => '' },
    { config: { delegation: { max_concurrent_children: 1 } } },
  )
  await talk.type('go')
  const texts = talk.events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : []))
  expect(texts).toEqual([
    expect.stringMatching(/2 tasks, and 1 at a time is the most \(delegation\.max_concurrent_children\)/),
    expect.stringMatching(/has no goal/),
  ])
  expect(children()).toHaveLength(0)
})

test.each([
  ['no person can be asked: what needs an approval is denied', {}, {}, 'error'],
  ['a person is there: that person is asked', { person: { approve: 'once' as const } }, {}, 'ok'],
  ['the user lets subagents do without: it is allowed', {}, { subagent_auto_approve: true }, 'ok'],
])('what a subagent may do is decided where %s', async (_name, more, delegation, status) => {
  const { talk, returned, kernel } = await stage(
    {
      parent: [delegate({ goal: 'Erase.' }), 'well'],
      child: (_goal, call) => [{ calls: [{ name: 'erase', input: {} }] }, 'said'][call] ?? '',
    },
    { with: [tools], config: { delegation }, ...more },
  )
  await talk.type('go')
  expect(returned().results).toMatchObject([{ status: 'completed', tool_trace: [{ tool: 'erase', status }] }])
  expect(kernel.use(Approvals).pending()).toEqual([])
})

test('the cap on model calls ends a subagent; with an answer it is completed, without one it failed', async () => {
  const { talk, returned } = await stage(
    {
      parent: [delegate({ tasks: [{ goal: 'says' }, { goal: 'silent' }] }), 'well'],
      child: (goal) => ({ ...(goal === 'says' && { text: 'so far' }), calls: [{ name: 'page', input: {} }] }),
    },
    { with: [tools], config: { delegation: { max_iterations: 2 } } },
  )
  await talk.type('go')
  expect(returned().results).toMatchObject([
    { status: 'completed', exit_reason: 'max_iterations', summary: 'so far' },
    {
      status: 'failed',
      exit_reason: 'interrupted',
      summary: null,
      error: expect.stringMatching(/without saying anything/),
    },
  ])
})

test('/stop reaches subagents, and what they had done so far is kept', async () => {
  const ended: unknown[] = []
  const listener = {
    name: 'listener',
    setup: (ctx: PluginContext<undefined>) => {
      ctx.on(SubagentStarted, ({ goal, role, id }) => void ended.push(['started', goal, role, id?.slice(0, 5)]))
      ctx.on(SubagentEnded, ({ reason, id }) => void ended.push(['ended', reason, id?.slice(0, 5)]))
      ctx.on(TurnEnded, ({ purpose, reason }) => void ended.push([purpose, reason]))
    },
  }
  const { talk, fake, children, kernel } = await stage(
    {
      parent: [delegate({ goal: 'long' })],
      child: (_goal, call) =>
        call === 0
          ? { text: 'half of it', calls: [{ name: 'write', input: { path: 'a' } }] }
          : { text: 'never', gate: new Promise(() => {}) },
    },
    { with: [tools, listener] },
  )
  const turn = talk.type('go')
  await vi.waitFor(() => expect(fake.requests).toHaveLength(3), 10_000)
  await talk.conversation.type('/stop')
  await turn
  const complete = talk.events.find((event) => event.type === 'subagent.complete')
  expect(complete).toMatchObject({ ok: false, status: 'interrupted', filesWritten: [join(kernel.home, 'a')] })
  expect(children()).toHaveLength(1)
  expect(ended).toEqual([
    ['started', 'long', 'leaf', 'sa-0-'],
    ['subagent', 'interrupted'],
    ['ended', 'interrupted', 'sa-0-'],
    ['user', 'interrupted'],
  ])
})

test('what a subagent spends counts for the session and the turn that delegated, and their caps stop it', async () => {
  const { talk, returned, kernel } = await stage(
    {
      parent: [
        { ...(delegate({ goal: 'spend' }) as object), usage: { input: 10, output: 1 } },
        { text: 'well', usage: { input: 10, output: 1 } },
      ],
      child: () => ({ calls: [{ name: 'page', input: {} }], usage: { input: 100, output: 10 } }),
    },
    { with: [tools], config: { budget: { session: { tokens: 250 } } } },
  )
  await talk.type('go')
  const [result] = returned().results
  expect(result).toMatchObject({ status: 'failed', error: expect.stringMatching(/budget is used up.*session/) })
  const { sessionId, events } = { sessionId: talk.conversation.sessionId, events: talk.events }
  const spent = kernel.use(Budgets).spent({ sessionId })
  expect(spent.input).toBeGreaterThanOrEqual(200)
  expect(kernel.use(Budgets).spent({ turnId: events[0]?.turnId ?? '' })).toEqual(spent)
})

test('a long answer is cut, and the whole of it can be read', async () => {
  const { talk, returned } = await stage(
    { parent: [delegate({ goal: 'long' }), 'well'], child: () => 'x'.repeat(9000) },
    { config: { delegation: { max_summary_chars: 3000 } } },
  )
  await talk.type('go')
  const [result] = returned().results as { summary: string; summary_full_path: string; summary_truncated: true }[]
  expect(result?.summary.length).toBeLessThanOrEqual(3000)
  expect(result?.summary_truncated).toBe(true)
  expect(readFileSync(result?.summary_full_path ?? '', 'utf8')).toBe('x'.repeat(9000))
})
