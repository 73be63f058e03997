/** `svc kanban` and `/kanban`, by what they print and what they leave on the board. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SlashCommands } from 'svc/sdk'
import { Boards } from 'svc/sdk/kanban'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function open() {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['kanban', 'kanban-cli'], clock })
  onTestFinished(() => kernel.stop())
  const run = (...argv: string[]) => kernel.run(['kanban', ...argv])
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).out)
  const create = async (title: string, ...argv: string[]) =>
    (await json('create', title, '--by', 'anna', ...argv)).task.id
  return { kernel, clock, boards: kernel.use(Boards), run, json, create, home: kernel.home }
}

test('a task is created with all that can be said, listed, shown and edited', async () => {
  const { run, json, create } = await open()
  expect((await run()).out).toContain('No tasks.')
  const parent = await create('First')
  const options = ['--assignee', 'writer', '--parent', parent, '--max-retries', '3', '--max-runtime', '30m']
  const more = ['--workspace', 'worktree:/tmp/x', '--branch', 'b', '--budget-usd', '2', '--check-file', 'a.txt']
  const id = await create('Report', ...options, ...more, '--skill', 'mail', '--body', 'All of it.', '--priority', '2')
  expect(await json('show', id)).toMatchObject({
    task: {
      ...{ title: 'Report', status: 'todo', maxRetries: 3, maxRuntimeMs: 1_800_000, budgetUsd: 2, priority: 2 },
      ...{ workspace: { kind: 'worktree', path: '/tmp/x', branch: 'b' }, skills: ['mail'], createdBy: 'anna' },
      checks: [{ type: 'file', path: 'a.txt' }],
    },
    parents: [{ id: parent }],
  })
  const { out } = await run('show', id)
  for (const text of ['Report', `${parent} (ready)`, 'file a.txt', 'All of it.', 'created']) expect(out).toContain(text)
  expect((await run('list', '--status', 'todo')).out).toMatch(/ID +STATUS.*\nt_\w{8} +todo +writer +2 +Report\n/)
  expect(await json('edit', id, '--priority', '5', '--title', 'Better')).toMatchObject({ task: { priority: 5 } })
  expect((await json('list', '--text', 'better')).total).toBe(1)
  expect((await run('context', id)).out).toContain('# Better')
  expect(await json('stats')).toMatchObject({ byStatus: { todo: 1, ready: 1 } })
})

test('one key makes one task, and who gets one without an assignee is said', async () => {
  const { run, json } = await open()
  const { task } = await json('create', 'Once', '--idempotency-key', 'k')
  expect(await json('create', 'Once', '--idempotency-key', 'k')).toMatchObject({ isNew: false, task: { id: task.id } })
  expect((await run('create', 'Free')).out).toContain('svc kanban assign')
})

test('tasks are moved, several at once; what is refused is named and the exit code is 1', async () => {
  const { run, json, create } = await open()
  const [one, two] = [await create('One'), await create('Two')]
  expect((await run('block', one, 'Which', 'one?', '--kind', 'needs_input')).out).toContain('blocked')
  expect((await run('list')).out).toContain('(Which one?)')
  expect(await json('unblock', one)).toMatchObject({ tasks: [{ status: 'ready' }], refused: [] })
  expect(await run('unblock', one, two)).toMatchObject({ code: 1, err: expect.stringContaining('unblock is refused') })
  expect((await run('link', one, two)).out).toContain('todo')
  expect(await run('link', two, one)).toMatchObject({ code: 1, err: expect.stringContaining('waits for') })
  expect(await run('promote', two, '--dry-run')).toMatchObject({ code: 1, out: expect.stringContaining(one) })
  expect((await run('promote', two, '--force')).out).toContain('ready')
  expect((await run('schedule', two, 'Later', '--at', '2h')).out).toContain('scheduled')
  expect((await run('complete', one, '--summary', 'Done.', '--metadata', '{"a":1}')).out).toContain('done')
  expect(await run('complete', one)).toMatchObject({ code: 1, err: expect.stringContaining('done already') })
  expect((await run('assign', two, 'None')).out).toContain(two)
  expect((await run('unlink', one, two)).code).toBe(0)
  expect((await run('archive', one, two)).code).toBe(0)
  expect(await run('archive', '--rm', one)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect((await run('archive', '--rm', one, two, '--yes')).out).toContain(`${two} is deleted.`)
  expect((await json('list', '--archived')).total).toBe(0)
})

test('wrong values are named, with what is right', async () => {
  const { run, create } = await open()
  const id = await create('One')
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [['list', '--status', 'open'], 'There are triage'],
    [['list', '--sort', 'x'], '--sort takes'],
    [['create', 'x', '--max-runtime', 'soon'], '30m'],
    [['create', 'x', '--priority', 'high'], '--priority takes a number'],
    [['create', 'x', '--max-retries', '0'], 'maxRetries'],
    [['create', 'x', '--workspace', 'moon'], 'worktree'],
    [['create', ' '], 'title'],
    [['create', 'x', '--parent', 't_00000000'], 't_00000000'],
    [['edit', id], 'svc kanban edit --help'],
    [['complete', id, '--metadata', '{'], 'JSON'],
    [['block', id, 'x', '--kind', 'y'], 'needs_input'],
    [['schedule', id, '--at', 'tomorrow'], 'ISO'],
    [['show', 't_00000000'], 'There is no task'],
    [['list', '--board', 'x'], 'There is no board'],
    [['boards', 'burn'], 'boards takes'],
    [['notify', 'add', id], '--platform'],
    [['attach', id, '/nowhere'], 'cannot be read'],
  ]
  for (const [argv, text] of wrong) {
    const { code, err } = await run(...argv)
    expect([argv.join(' '), code === 0, err]).toEqual([argv.join(' '), false, expect.stringContaining(text)])
  }
})

test('boards are created, used and removed; chats subscribe; files come back', async () => {
  const { run, json, create, home } = await open()
  await run('boards', 'create', 'work', '--name', 'Work', '--budget-usd', '5')
  expect((await run('boards', 'use', 'work')).out).toContain('work')
  const id = await create('There')
  expect((await json('list')).tasks).toMatchObject([{ board: 'work' }])
  expect((await json('list', '--board', 'default')).total).toBe(0)
  expect((await run('boards')).out).toMatch(/\* +work +Work/)
  expect((await run('boards', 'show')).out).toContain('of $5')
  await run('notify', 'add', id, '--platform', 'ntfy', '--chat', 'c')
  expect((await run('notify')).out).toContain(`${id}  ntfy  c`)
  await run('notify', 'remove', id, '--platform', 'ntfy', '--chat', 'c')
  expect((await run('notify')).out).toContain('No chat')
  writeFileSync(join(home, 'a.txt'), 'text')
  const { attachment } = await json('attach', id, join(home, 'a.txt'))
  expect(await json('attach', id, join(home, 'b.txt'), '--get', String(attachment.id))).toMatchObject({
    attachment: { name: 'a.txt', size: 4 },
  })
  expect(await run('boards', 'remove', 'work')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect((await run('boards', 'remove', 'work', '--yes')).code).toBe(0)
  expect((await run('gc', '--days', '0', '--yes')).out).toContain('0 events and 0 folders deleted')
})

test('events are printed, and the doctor names what needs a person', async () => {
  const { run, create, boards, json, clock } = await open()
  expect(await run('doctor')).toMatchObject({ code: 0, out: 'Nothing needs a person.\n' })
  const id = await create('One', '--assignee', 'a')
  await boards.claim(id, { holder: 'd', ttlMs: 1000 })
  await clock.advance(2000)
  expect(await json('doctor')).toMatchObject({ findings: [{ kind: 'lease_over', taskId: id }] })
  await boards.endRun({ taskId: id, epoch: 1 }, { outcome: 'protocol_violation', error: 'exit 0' })
  expect(await run('doctor')).toMatchObject({ code: 1, out: expect.stringContaining('svc kanban unblock') })
  expect((await run('runs', id)).out).toContain('protocol_violation')
  const { out } = await run('tail', id, '--once')
  expect(out.trim().split('\n')).toHaveLength(4)
  const lines = (await run('watch', '--once', '--kinds', 'claimed,gave_up', '--json')).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['claimed', 'gave_up'])
})

test('a conversation has the same commands, without those that need a terminal', async () => {
  const { kernel, json } = await open()
  const command = kernel
    .all(SlashCommands)
    .all()
    .find(({ name }) => name === 'kanban')
  const at = { cwd: '/', signal: AbortSignal.timeout(60_000), by: { platform: 'x', chatId: 'c', userId: 'anna' } }
  const say = async (text: string) => String(await command?.run(text, at as never))
  expect(await say('create "Write it" --assignee writer --skill a --skill b')).toContain('ready')
  const { tasks } = await json('list')
  expect((await json('show', tasks[0].id)).task).toMatchObject({ createdBy: 'anna', skills: ['a', 'b'] })
  // The chat hears of what is created in it.
  expect((await json('notify')).subscriptions).toMatchObject([{ taskId: tasks[0].id, platform: 'x', chat: 'c' }])
  await kernel.use(Boards).unsubscribe({ taskId: tasks[0].id, platform: 'x', chat: 'c', thread: '' })
  expect(await say('')).toContain('Write it')
  expect(await say(`block ${tasks[0].id} why not`)).toContain('blocked')
  expect(await say('complete')).toContain('complete takes <ids...>.')
  expect(await say('list --nonsense')).toContain('no option')
  expect(await say('list --status')).toContain('takes a value')
  expect(await say('watch')).toContain('/kanban knows')
  expect(await say(`archive ${tasks[0].id} --rm`)).toContain('--yes')
})
