/** What the boards promise, at either engine of the shared store. */
import type { Boards, RunEnd, Task, TaskClaim } from 'svc/sdk/kanban'
import { SharedStore } from 'svc/sdk/store'
import type { TestKernel, VirtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { migrations } from '../../../plugins/work/kanban/migrations.ts'
import { SqlTables } from '../../../plugins/work/kanban/sql-tables.ts'
import type { Tables } from '../../../plugins/work/kanban/tables.ts'

export interface BoardStage {
  readonly kernel: TestKernel
  readonly boards: Boards
  /** Undefined: the clock of a server, which no test sets. */
  readonly clock?: VirtualClock
}

const by = 'anna'
export const worker = { machine: 'one', pid: 41, startTime: '7' }

/** A claim that has to succeed. */
export async function claim(boards: Boards, id: string, ttlMs = 60_000): Promise<Extract<TaskClaim, { task: Task }>> {
  const claimed = await boards.claim(id, { holder: 'dispatcher', ttlMs })
  if (claimed.refused) throw new Error(`refused: ${claimed.refused}`)
  return claimed
}

const kinds = async (boards: Boards, id: string) =>
  (await boards.events({ taskId: id, after: 0 })).map(({ kind }) => kind)

export function boardContract(start: () => Promise<BoardStage>): void {
  test('a task goes from its creation over a claim to done, and each step is an event', async () => {
    const { boards } = await start()
    const { task } = await boards.create({ title: ' Write ', assignee: 'Writer', by, priority: 2, tenant: 'acme' })
    expect(task).toMatchObject({ title: 'Write', assignee: 'writer', status: 'ready', board: 'default', failures: 0 })
    const { lease, run, task: running } = await claim(boards, task.id)
    expect(running).toMatchObject({ status: 'running', epoch: 1, hold: { runId: run.id, holder: 'dispatcher' } })
    await boards.started(lease, worker)
    await boards.started(lease, worker)
    expect((await boards.heartbeat(lease, { note: 'half' })).worker).toEqual(worker)
    await boards.spend(run.id, { usd: 0.25, unpricedCalls: 1, calls: 2, inputTokens: 10, outputTokens: 5 })
    const done = await boards.complete(task.id, { by: 'task', lease, summary: 'All of it.\nMore.', metadata: { a: 1 } })
    expect(done).toMatchObject({ status: 'done', summary: 'All of it.', metadata: { a: 1 }, spentUsd: 0.25 })
    expect(done).toMatchObject({ unpricedRuns: 1 })
    expect(done.hold).toBeUndefined()
    expect(await kinds(boards, task.id)).toEqual(['created', 'claimed', 'spawned', 'heartbeat', 'completed'])
    expect(await boards.runs({ taskId: task.id })).toMatchObject([{ outcome: 'completed', cost: { usd: 0.25 } }])
    await expect(boards.complete(task.id, { by, summary: 'Again' })).rejects.toMatchObject({ code: 'KANBAN_REFUSED' })
    await expect(boards.complete(task.id, { by, lease })).rejects.toMatchObject({ code: 'KANBAN_LEASE_LOST' })
  })

  test('children wait for all of their parents, also when those end in any way', async () => {
    const { boards } = await start()
    const [one, two] = [
      (await boards.create({ title: 'One', by })).task,
      (await boards.create({ title: 'Two', by })).task,
    ]
    const { task: child } = await boards.create({ title: 'Child', by, parents: [one.id, two.id] })
    expect(child.status).toBe('todo')
    await boards.complete(one.id, { by, summary: 'x' })
    expect((await boards.get(child.id)).status).toBe('todo')
    expect((await boards.counts([child.id])).get(child.id)).toMatchObject({ parents: 2, openParents: 1 })
    await boards.archive(two.id, { by })
    expect((await boards.get(child.id)).status).toBe('ready')
    expect((await boards.details(child.id)).parents.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort())
  })

  test('circles, unknown tasks and links across boards are refused, and nothing is written', async () => {
    const { boards } = await start()
    const ids: string[] = []
    for (const title of ['a', 'b', 'c']) ids.push((await boards.create({ title, by, parents: ids.slice(-1) })).task.id)
    const [a = '', , c = ''] = ids
    const graph = { code: 'KANBAN_GRAPH' }
    await expect(boards.link(c, a, { by })).rejects.toMatchObject(graph)
    await expect(boards.link(a, a, { by })).rejects.toMatchObject(graph)
    await expect(boards.unlink(a, c, { by })).rejects.toMatchObject(graph)
    await expect(boards.link('t_00000000', a, { by })).rejects.toMatchObject({ code: 'KANBAN_TASK_UNKNOWN' })
    const total = (await boards.list()).total
    await expect(boards.create({ title: 'x', by, parents: ['t_00000000'] })).rejects.toMatchObject(graph)
    await boards.createBoard({ slug: 'other' })
    await expect(boards.create({ title: 'x', by, board: 'other', parents: [a] })).rejects.toMatchObject(graph)
    expect([(await boards.list()).total, (await boards.list({ board: 'other' })).total]).toEqual([total, 0])
  })

  test('a link takes a ready task back, and the end of the link gives it again', async () => {
    const { boards } = await start()
    const [one, two] = [
      (await boards.create({ title: 'One', by })).task,
      (await boards.create({ title: 'Two', by })).task,
    ]
    await boards.link(one.id, two.id, { by })
    expect((await boards.get(two.id)).status).toBe('todo')
    await boards.unlink(one.id, two.id, { by })
    expect((await boards.get(two.id)).status).toBe('ready')
    expect(await kinds(boards, two.id)).toEqual(['created', 'linked', 'waiting', 'unlinked', 'promoted'])
  })

  test('one key makes one task, also when many ask at once, until it is archived', async () => {
    const { boards } = await start()
    const create = () => boards.create({ title: 'Once', by, idempotencyKey: 'k' })
    const all = await Promise.all(Array.from({ length: 8 }, create))
    expect(new Set(all.map(({ task }) => task.id)).size).toBe(1)
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
    await boards.archive(all[0]?.task.id ?? '', { by })
    expect((await create()).isNew).toBe(true)
  })

  test('of many dispatchers one gets a task, and a later claim keeps an earlier worker out', async () => {
    const { boards } = await start()
    const { task } = await boards.create({ title: 'Race', by, assignee: 'a' })
    const claims = await Promise.all([1, 2, 3, 4].map((n) => boards.claim(task.id, { holder: `d${n}` })))
    const [first] = claims.filter(({ refused }) => refused === undefined)
    expect(claims.filter(({ refused }) => refused === 'status')).toHaveLength(3)
    if (!first || first.refused) throw new Error('nobody has it')
    await boards.endRun({ taskId: task.id, epoch: 1 }, { outcome: 'crashed', error: 'signal 9' })
    const second = await claim(boards, task.id)
    const lost = { code: 'KANBAN_LEASE_LOST' }
    await expect(boards.complete(task.id, { by, lease: first.lease, summary: 'x' })).rejects.toMatchObject(lost)
    await expect(boards.heartbeat(first.lease)).rejects.toMatchObject(lost)
    await expect(boards.endRun({ taskId: task.id, epoch: 1 }, { outcome: 'crashed' })).rejects.toMatchObject(lost)
    await expect(boards.heartbeat({ ...second.lease, nonce: 'guessed' })).rejects.toMatchObject(lost)
    expect(await boards.get(task.id)).toMatchObject({ status: 'running', failures: 1, lastError: 'signal 9' })
  })

  test('failures count up to the limit, that of the task before that of the dispatcher', async () => {
    const { boards } = await start()
    const fail = async (maxRetries: number | undefined, end: RunEnd) => {
      const { task } = await boards.create({ title: 'F', by, assignee: 'a', ...(maxRetries && { maxRetries }) })
      for (let runs = 1; ; runs++) {
        await claim(boards, task.id)
        const { status } = await boards.endRun({ taskId: task.id, epoch: runs }, end)
        if (status === 'blocked') return { runs, kinds: (await kinds(boards, task.id)).slice(-2) }
      }
    }
    expect(await fail(undefined, { outcome: 'crashed' })).toEqual({ runs: 2, kinds: ['crashed', 'gave_up'] })
    expect(await fail(undefined, { outcome: 'timed_out', failureLimit: 4 })).toMatchObject({ runs: 4 })
    expect(await fail(3, { outcome: 'spawn_failed', failureLimit: 1 })).toMatchObject({ runs: 3 })
    expect(await fail(9, { outcome: 'crashed', isPermanent: true })).toMatchObject({ runs: 1 })
    expect(await fail(9, { outcome: 'protocol_violation' })).toEqual({
      runs: 1,
      kinds: ['protocol_violation', 'gave_up'],
    })
  })

  test('a rate limit pauses a task without counting, and unblocking forgets failures', async () => {
    const { boards, clock } = await start()
    const { task } = await boards.create({ title: 'R', by, assignee: 'a' })
    await claim(boards, task.id)
    await boards.endRun({ taskId: task.id, epoch: 1 }, { outcome: 'rate_limited' })
    expect(await boards.get(task.id)).toMatchObject({ status: 'ready', failures: 0 })
    expect(await boards.claim(task.id, { holder: 'd' })).toEqual({ refused: 'pause' })
    expect(await boards.claimable({ limit: 5 })).toEqual([])
    if (clock) {
      await clock.advance(300_001)
      expect(await boards.claimable({ limit: 5 })).toHaveLength(1)
      await claim(boards, task.id)
      await boards.endRun({ taskId: task.id, epoch: 2 }, { outcome: 'protocol_violation' })
      expect(await boards.unblock(task.id, { by })).toMatchObject({ status: 'ready', failures: 0 })
    }
  })

  test('a fan-out is written as a whole, and its root waits for the leaves', async () => {
    const { boards } = await start()
    const { task: root } = await boards.create({ title: 'Goal', by, isTriage: true, tenant: 'acme' })
    const part = (title: string, parents: number[] = []) => ({ title, assignee: 'a', parents })
    const fanOut = { rootAssignee: 'Boss', by: 'decomposer', comment: 'Because.' }
    const bad = [part('x', [1]), part('y', [0])]
    const graph = { code: 'KANBAN_GRAPH' }
    await expect(boards.decompose(root.id, { ...fanOut, tasks: bad })).rejects.toMatchObject(graph)
    const many = Array.from({ length: 1000 }, (_, at) => part(`${at}`))
    await expect(boards.decompose(root.id, { ...fanOut, tasks: many })).rejects.toMatchObject(graph)
    expect((await boards.list()).total).toBe(1)
    const tasks = [part('last', [1, 2]), part('first'), part('second')]
    const { root: after, children } = await boards.decompose(root.id, { ...fanOut, tasks })
    expect(after).toMatchObject({ status: 'todo', assignee: 'boss' })
    expect(children.map(({ title, status, tenant }) => [title, status, tenant])).toEqual([
      ['last', 'todo', 'acme'],
      ['first', 'ready', 'acme'],
      ['second', 'ready', 'acme'],
    ])
    const details = await boards.details(root.id)
    expect(details.parents.map(({ title }) => title)).toEqual(['last'])
    expect(details.comments.map(({ body }) => body)).toEqual(['Because.'])
    expect(await kinds(boards, root.id)).toEqual(['created', 'decomposed'])
    await expect(boards.decompose(root.id, { ...fanOut, tasks })).rejects.toMatchObject({ code: 'KANBAN_REFUSED' })
  })

  test('checks keep a task from being done without evidence, unless a person says so', async () => {
    const { boards } = await start()
    const create = async () => {
      const checks = [{ type: 'file', path: 'a.txt' } as const]
      return (await boards.create({ title: 'C', by, assignee: 'a', checks })).task.id
    }
    const id = await create()
    const { lease } = await claim(boards, id)
    expect(await boards.submit(lease, { summary: 'Done.' })).toMatchObject({ submission: { summary: 'Done.' } })
    const open = { code: 'KANBAN_CHECKS_OPEN' }
    await expect(boards.complete(id, { by, lease, summary: 'x' })).rejects.toMatchObject(open)
    const evidence = [{ check: 0, isMet: false, detail: 'not there', at: 1 }]
    await expect(boards.complete(id, { by, lease, summary: 'x', evidence })).rejects.toMatchObject(open)
    const again = await boards.endRun(lease, { outcome: 'checks_failed', evidence, error: 'a.txt is not there' })
    expect(again).toMatchObject({ status: 'ready', failures: 1, evidence })
    const held = await claim(boards, id)
    const met = [{ check: 0, isMet: true, detail: '3 bytes', at: 2 }]
    const done = await boards.complete(id, { by, lease: await boards.leaseOf(held.run), summary: 'x', evidence: met })
    expect(done).toMatchObject({ status: 'done', isVerified: true })
    expect(await boards.complete(await create(), { by, summary: 'x', isUnverified: true })).toMatchObject({
      isVerified: false,
    })
  })

  test('a completion names only tasks that were created for it', async () => {
    const { boards } = await start()
    const { task } = await boards.create({ title: 'P', by, assignee: 'boss' })
    const { task: own } = await boards.create({ title: 'O', by: `task:${task.id}` })
    const { task: other } = await boards.create({ title: 'X', by })
    const { lease } = await claim(boards, task.id)
    const completion = { by: 'boss', lease, summary: 'x' }
    const named = { ...completion, createdTasks: [own.id, other.id, 't_00000000'] }
    await expect(boards.complete(task.id, named)).rejects.toMatchObject({ code: 'KANBAN_UNKNOWN_TASKS' })
    expect((await kinds(boards, task.id)).at(-1)).toBe('completion_blocked_hallucination')
    expect(await boards.complete(task.id, { ...completion, createdTasks: [own.id] })).toMatchObject({ status: 'done' })
  })

  test('what is spent blocks a task, or keeps a board from claiming; caps hold among dispatchers', async () => {
    const { boards } = await start()
    const { task } = await boards.create({ title: 'B', by, assignee: 'a', budgetUsd: 1 })
    const { run } = await claim(boards, task.id)
    await boards.spend(run.id, { usd: 1, unpricedCalls: 0, calls: 1, inputTokens: 0, outputTokens: 0 })
    await boards.endRun(run, { outcome: 'crashed' })
    expect(await boards.claim(task.id, { holder: 'd' })).toEqual({ refused: 'budget' })
    expect(await boards.get(task.id)).toMatchObject({ status: 'blocked', blockKind: 'capability' })
    const ids: string[] = []
    for (const n of [1, 2, 3, 4]) ids.push((await boards.create({ title: `${n}`, by, assignee: 'a' })).task.id)
    const claims = await Promise.all(ids.map((id) => boards.claim(id, { holder: 'd', caps: { board: 2 } })))
    expect(claims.map(({ refused }) => refused ?? 'ok').sort()).toEqual(['cap', 'cap', 'ok', 'ok'])
    await boards.changeBoard('default', { budgetUsd: 0.5 })
    const free = ids.find((_, at) => claims[at]?.refused) ?? ''
    expect(await boards.claim(free, { holder: 'd' })).toEqual({ refused: 'board-budget' })
  })

  test('the same kind of block again sends a task to triage, and one that waits for a task waits in todo', async () => {
    const { boards } = await start()
    const { task: parent } = await boards.create({ title: 'P', by })
    const { task } = await boards.create({ title: 'B', by, assignee: 'a' })
    const blocked = await boards.block(task.id, { by, reason: 'Which?', kind: 'needs_input' })
    expect(blocked).toMatchObject({ status: 'blocked', blockKind: 'needs_input', blockReason: 'Which?' })
    await boards.unblock(task.id, { by })
    const again = await boards.block(task.id, { by, reason: 'Which?', kind: 'needs_input' })
    expect(again.status).toBe('triage')
    expect((await boards.specify(task.id, { by, body: 'That one.' })).status).toBe('ready')
    const { lease } = await claim(boards, task.id)
    await boards.promote(task.id, { by }).catch((error) => expect(error).toMatchObject({ code: 'KANBAN_REFUSED' }))
    await boards.reclaim(task.id, { by })
    await boards.link(parent.id, task.id, { by })
    expect(await boards.promote(task.id, { by, force: true })).toMatchObject({ status: 'ready' })
    await claim(boards, task.id)
    await expect(boards.heartbeat(lease)).rejects.toMatchObject({ code: 'KANBAN_LEASE_LOST' })
    const { task: child } = await boards.create({ title: 'C', by, assignee: 'a' })
    const held = await claim(boards, child.id)
    const waiting = { by, reason: 'no parent', kind: 'dependency', lease: held.lease } as const
    expect((await boards.block(child.id, waiting)).status).toBe('blocked')
  })

  test('chats hear of each event once, also when a process ends before it told', async () => {
    const { boards, clock } = await start()
    const { task } = await boards.create({ title: 'N', by, assignee: 'a' })
    const chat = { taskId: task.id, platform: 'ntfy', chat: 'c', thread: '' }
    await boards.subscribe(chat)
    await boards.subscribe(chat)
    expect(await boards.takeNotices({ holder: 'g1' })).toEqual([])
    await boards.block(task.id, { by, reason: 'Which?' })
    const [notice] = await boards.takeNotices({ holder: 'g1' })
    expect(notice).toMatchObject({ task: { id: task.id }, events: [{ kind: 'blocked' }] })
    expect(await boards.takeNotices({ holder: 'g2' })).toEqual([])
    if (!notice) throw new Error('nothing to tell')
    if (clock) {
      await clock.advance(60_001)
      expect((await boards.takeNotices({ holder: 'g2' })).map(({ key }) => key)).toEqual([notice.key])
    }
    await boards.settleNotice(notice, 'sent')
    await boards.settleNotice(notice, 'sent')
    expect(await boards.takeNotices({ holder: 'g1' })).toEqual([])
    await boards.complete(task.id, { by, summary: 'x' })
    const [last] = await boards.takeNotices({ holder: 'g1' })
    if (last) await boards.settleNotice(last, 'sent')
    expect(await boards.subscriptions()).toEqual([])
  })

  test('files at a task come back as they were, and go with it', async () => {
    const { boards } = await start()
    const { task } = await boards.create({ title: 'A', by })
    const bytes = new Uint8Array(2_500_000).map((_, at) => at % 251)
    const file = await boards.attach(task.id, { name: '../a/b.bin', mediaType: 'x/y', bytes, by })
    expect(file).toMatchObject({ name: 'b.bin', size: 2_500_000 })
    expect(Buffer.compare((await boards.attachment(file.id)).bytes, bytes)).toBe(0)
    await boards.archive(task.id, { by })
    await boards.remove(task.id)
    await expect(boards.attachment(file.id)).rejects.toMatchObject({ code: 'KANBAN_INPUT' })
    await expect(boards.get(task.id)).rejects.toMatchObject({ code: 'KANBAN_TASK_UNKNOWN' })
  })

  test('others are told of changes, and read them after their cursor', async () => {
    const { boards, clock } = await start()
    const seen: (string | undefined)[] = []
    using _watching = await boards.watch((board) => seen.push(board))
    const { task } = await boards.create({ title: 'W', by })
    await clock?.advance(1000)
    // Undefined where the server was not listened to yet: look at the tables.
    await expect.poll(() => seen.some((board) => board === undefined || board === 'default')).toBe(true)
    const [created] = await boards.events({ after: 0 })
    await boards.comment(task.id, { author: by, body: 'Look.' })
    expect(await boards.events({ after: created?.id ?? 0 })).toMatchObject([{ kind: 'commented' }])
    expect(await boards.stats()).toMatchObject({ byStatus: { ready: 1 }, lastEvent: (created?.id ?? 0) + 1 })
  })

  test('recompute makes ready what is due, of the board that was asked for, and nothing before its moment', async () => {
    const { boards, kernel } = await start()
    await boards.createBoard({ slug: 'other' })
    // No others are read and locked, as a look of the dispatcher would at each time.
    const waiting = async (board: string | undefined) => {
      await using db = await kernel
        .use(SharedStore)
        .open<Tables>({ owner: 'kanban', scope: 'installation', migrations })
      return db.transaction((tx, at) => new SqlTables({ tx, db, now: at, hex: String }).waiting(board))
    }
    const make = async (title: string, board: string) =>
      (await boards.create({ title, board, assignee: 'coder', by })).task.id
    const [due, elsewhere, later] = [await make('D', 'default'), await make('E', 'other'), await make('L', 'default')]
    const { now } = await boards.stats()
    for (const id of [due, elsewhere]) await boards.schedule(id, { by, at: now - 1 })
    await boards.schedule(later, { by, at: now + 3_600_000 })
    const statuses = async () => Promise.all([due, elsewhere, later].map(async (id) => (await boards.get(id)).status))
    const parent = await make('P', 'default')
    await boards.create({ title: 'C', board: 'default', by, parents: [parent] })
    expect(await waiting('default')).toEqual([due])
    expect(await waiting(undefined)).toEqual([due, elsewhere].sort())
    expect(await boards.recompute('default')).toEqual([due])
    expect(await statuses()).toEqual(['ready', 'scheduled', 'scheduled'])
    expect(await boards.recompute(null)).toEqual([elsewhere])
    expect(await boards.recompute(null)).toEqual([])
    expect(await statuses()).toEqual(['ready', 'ready', 'scheduled'])
  })
}
