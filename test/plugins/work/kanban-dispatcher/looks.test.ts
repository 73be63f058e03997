/** What the dispatcher does about workers that end, hang, are killed, lose their claim or live on. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanScratch } from '../../../../plugins/work/kanban-dispatcher/clean-scratch.ts'
import { findProcess, isPidInUse } from '../../../../sdk/kit/process/index.ts'
import { openStage } from './stage.ts'

const LIVES = 'exec sleep 300'

test.for([
  ['exits with 0', 'exit 0', 'blocked', 'protocol_violation', /neither completed nor blocked/],
  ['exits with 3', 'exit 3', 'ready', 'crashed', /ended with 3/],
  ['is killed', 'kill -9 $$', 'ready', 'crashed', /SIGKILL/],
  ['says that it is refused for a while', 'exit 75', 'ready', 'rate_limited', /refused/],
  [
    'leaves a report',
    `printf '{"exitCode":1,"error":"the disk is full"}' > "$SVC_KANBAN_REPORT"; exit 1`,
    'ready',
    'crashed',
    /the disk is full/,
  ],
] as const)('a worker that %s', async ([, script, status, outcome, error]) => {
  await using stage = await openStage({ script })
  const { id } = await stage.create()
  const { started } = await stage.look()
  expect(started).toMatchObject([{ task: id, assignee: 'default' }])
  await expect.poll(() => findProcess(started[0]?.pid ?? 0)).toBeUndefined()
  stage.script(LIVES)
  const { ended } = await stage.look({ max: 1 })
  expect(ended).toMatchObject([{ task: id, outcome, error: expect.stringMatching(error) }])
  const [run] = (await stage.boards.runs({ taskId: id })).filter((each) => each.endedAt !== undefined)
  expect(run).toMatchObject({ outcome })
  const after = await stage.boards.get(id)
  expect(after.failures).toBe(outcome === 'rate_limited' ? 0 : 1)
  // What may be tried again is with the next worker already, unless it is paused.
  expect(after.status).toBe(outcome === 'crashed' ? 'running' : status)
})

test('a task whose workers fail again and again is blocked with the reason, and was started no more often than allowed', async () => {
  await using stage = await openStage({ script: 'exit 7', settings: { failure_limit: 3 } })
  const { id } = await stage.create()
  const task = await stage.until(id, 'blocked')
  expect(task.blockReason).toMatch(/ended with 7/)
  expect(await stage.boards.runs({ taskId: id })).toHaveLength(3)
})

test('a worker is not ended by a clock that jumps an hour, forwards or back', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create({ maxRuntimeMs: 1_800_000 })
  await stage.look()
  const pid = await stage.pidOf(id)
  for (const jump of [3_600_000, -3_600_000, 3_600_000]) {
    stage.setClock(jump)
    const { ended, extended } = await stage.look()
    expect(ended).toEqual([])
    if (jump > 0) expect(extended).toEqual([id])
    expect((await stage.boards.get(id)).hold).toMatchObject({ epoch: 1, worker: { pid } })
  }
  expect(isPidInUse(pid)).toBe(true)
})

test('a worker that lives without a sign of life is ended, which counts no failure', async () => {
  await using stage = await openStage({ script: LIVES, settings: { stale_seconds: 60 } })
  const { id } = await stage.create()
  await stage.look()
  const pid = await stage.pidOf(id)
  await stage.look({ max: 1 })
  await stage.clock.jump(61_000)
  await stage.look({ max: 1 })
  expect(findProcess(pid)).toBeUndefined()
  const runs = await stage.boards.runs({ taskId: id })
  expect(runs.map(({ outcome }) => outcome)).toContain('stale')
})

test('a worker that takes too long is ended with all that it started, although both ignore SIGTERM', async () => {
  const script = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > child; while :; do sleep 1; done`
  await using stage = await openStage({ script })
  const { id } = await stage.create({ maxRuntimeMs: 200, maxRetries: 1 })
  const { started } = await stage.look()
  const child = join(started[0]?.workspace ?? '', 'child')
  await expect.poll(() => existsSync(child) && readFileSync(child, 'utf8')).toMatch(/\d/)
  const task = await stage.until(id, 'blocked')
  expect(task.blockReason).toMatch(/longer than/)
  expect(findProcess(started[0]?.pid ?? 0)).toBeUndefined()
  expect(findProcess(Number(readFileSync(child, 'utf8')))).toBeUndefined()
})

test('a process that has the id of a dead worker is not taken for it, and gets no signal', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create()
  const claim = await stage.boards.claim(id, { holder: 'test' })
  if (claim.refused !== undefined) throw new Error(claim.refused)
  // This very process stands for the later one.
  await stage.boards.started(claim.lease, { machine: hostname(), pid: process.pid, startTime: 'boot:1' })
  const { ended } = await stage.look()
  expect(ended).toMatchObject([{ task: id, outcome: 'crashed', error: expect.stringMatching(/left no report/) }])
})

test('a worker goes on when the dispatcher crashes, and the next one learns how it ended', async () => {
  const script = `while [ ! -e end ]; do sleep 0.05; done; printf '{"exitCode":75,"error":"busy"}' > "$SVC_KANBAN_REPORT"; exit 75`
  await using stage = await openStage({ script })
  const { id } = await stage.create()
  const { started } = await stage.look()
  stage.restart()
  expect(await stage.look()).toMatchObject({ started: [], ended: [] })
  writeFileSync(join(started[0]?.workspace ?? '', 'end'), '')
  await expect.poll(async () => (await stage.look()).ended).toMatchObject([{ task: id, outcome: 'rate_limited' }])
  await stage.look()
  expect(stage.records.list()).toEqual([])
})

test('a claim whose dispatcher ended before the worker reported is given back, and what was started ends', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create()
  const claim = await stage.boards.claim(id, { holder: `${hostname()}/999999999/boot:1` })
  if (claim.refused !== undefined) throw new Error(claim.refused)
  const { ended } = await stage.look({ max: 1 })
  expect(ended).toMatchObject([{ task: id, outcome: 'lapsed', error: expect.stringMatching(/dispatcher ended/) }])
})

test('a worker of another machine keeps its task until its lease is over', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create()
  const claim = await stage.boards.claim(id, { holder: 'elsewhere/1/x', ttlMs: 60_000 })
  if (claim.refused !== undefined) throw new Error(claim.refused)
  await stage.boards.started(claim.lease, { machine: 'elsewhere', pid: process.pid, startTime: 'x' })
  expect((await stage.look()).ended).toEqual([])
  await stage.clock.jump(61_000)
  expect((await stage.look()).ended).toMatchObject([{ task: id, outcome: 'lapsed' }])
})

test('a worker whose task was archived is ended, after the time that a last answer takes', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create()
  await stage.look()
  const pid = await stage.pidOf(id)
  await stage.boards.archive(id, { by: 'test' })
  await stage.look()
  expect(isPidInUse(pid)).toBe(true)
  await stage.clock.jump(61_000)
  await stage.look()
  expect(findProcess(pid)).toBeUndefined()
  await stage.look()
  expect(stage.records.list()).toEqual([])
})

test('no more workers are started than the caps allow, and the more important tasks come first', async () => {
  await using stage = await openStage({
    script: LIVES,
    settings: { max_workers: 3, max_per_profile: 2 },
    profiles: ['ada'],
  })
  const low = await stage.create({ title: 'low' })
  const high = await stage.create({ title: 'high', priority: 5 })
  const third = await stage.create({ title: 'third', priority: 1 })
  const other = await stage.create({ title: 'other', assignee: 'ada' })
  const report = await stage.look()
  expect(report.started.map(({ task }) => task)).toEqual([high.id, third.id, other.id])
  expect(report.skipped).toEqual([{ task: low.id, reason: 'cap' }])
  const later = await stage.create({ title: 'later', assignee: 'ada' })
  const { started, skipped } = await stage.look()
  expect({ started, skipped: skipped.map(({ task }) => task).sort() }).toEqual({
    started: [],
    skipped: [low.id, later.id].sort(),
  })
})

test('a task without an assignee goes to the default profile, and one of an unknown profile waits', async () => {
  await using stage = await openStage({ script: LIVES })
  const { task } = await stage.boards.create({ title: 'of no profile', by: 'test' })
  const lost = await stage.create({ title: 'of a stranger', assignee: 'nobody-there' })
  const report = await stage.look()
  expect(report.started).toMatchObject([{ task: task.id, assignee: 'default' }])
  expect(report.skipped).toEqual([{ task: lost.id, reason: 'unknown-profile' }])
  expect((await stage.boards.get(task.id)).assignee).toBe('default')
})

test('a dry run says what would be started and changes nothing', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create()
  expect((await stage.look({ isDry: true })).started).toEqual([{ task: id, assignee: 'default' }])
  expect((await stage.boards.get(id)).status).toBe('ready')
})

test('after a rate limit the same profile gets nothing else for a while', async () => {
  await using stage = await openStage({ script: 'exit 75', settings: { max_workers: 1 } })
  const first = await stage.create({ priority: 1 })
  const second = await stage.create()
  await stage.look()
  await expect.poll(async () => (await stage.look()).ended).toMatchObject([{ task: first.id }])
  stage.script(LIVES)
  expect((await stage.look()).skipped).toContainEqual({ task: second.id, reason: 'rate-limit' })
  await stage.clock.jump(61_000)
  expect((await stage.look()).started).toMatchObject([{ task: second.id }])
})

test('a workspace that cannot be used blocks the task at once with the reason', async () => {
  await using stage = await openStage({ script: LIVES })
  const { id } = await stage.create({ workspace: { kind: 'dir', path: join('/', 'no', 'such', 'folder') } })
  await stage.look()
  expect(await stage.boards.get(id)).toMatchObject({
    status: 'blocked',
    blockReason: expect.stringMatching(/is not a folder/),
  })
})

const handsIn = async (stage: Awaited<ReturnType<typeof openStage>>, id: string) => {
  const [run] = await stage.boards.runs({ taskId: id, isOpen: true })
  if (!run) throw new Error('it does not run')
  await stage.boards.submit(await stage.boards.leaseOf(run), { summary: 'I did all of it' })
}

test('checks decide outside of the worker whether a task is done, and what they found is kept', async () => {
  await using stage = await openStage({
    script: `while [ ! -e end ]; do sleep 0.05; done`,
    settings: { failure_limit: 2 },
  })
  const { id } = await stage.create({
    checks: [
      { type: 'file', path: 'result.txt', contains: '42' },
      { type: 'command', command: 'test "$(cat result.txt)" = 42 && test -z "$SVC_KANBAN_TASK"' },
    ],
  })
  for (const [text, status] of [
    ['41', 'running'],
    ['42', 'done'],
  ] as const) {
    if ((await stage.boards.get(id)).status === 'ready') await stage.look()
    const folder = stage.records.list().find(({ taskId }) => taskId === id)?.workspace ?? join(stage.home, 'x')
    await handsIn(stage, id)
    expect((await stage.boards.get(id)).status).toBe('running')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'result.txt'), text)
    writeFileSync(join(folder, 'end'), '')
    await expect
      .poll(async () => {
        await stage.look()
        return (await stage.boards.get(id)).evidence.map(({ isMet }) => isMet)
      })
      .toEqual(status === 'done' ? [true, true] : [false, false])
    if (status === 'done') break
    expect(await stage.boards.get(id)).toMatchObject({ failures: 1, lastError: expect.stringMatching(/2 of 2 checks/) })
  }
  expect(await stage.boards.get(id)).toMatchObject({ status: 'done', isVerified: true, summary: 'I did all of it' })
})

test('workers that fail alike, several in one look, are not started again; those that were killed are', async () => {
  await using stage = await openStage({ script: 'echo no disk >&2; exit 9', settings: { failure_limit: 5 } })
  const ids = [await stage.create(), await stage.create(), await stage.create()].map(({ id }) => id)
  await stage.look()
  await expect.poll(async () => (await Promise.all(ids.map(stage.pidOf))).some((pid) => isPidInUse(pid))).toBe(false)
  const { ended } = await stage.look({ max: 0 })
  expect(ended).toHaveLength(3)
  for (const id of ids) expect(await stage.boards.get(id)).toMatchObject({ status: 'blocked', failures: 1 })
  stage.script('kill -9 $$')
  for (const id of ids) await stage.boards.unblock(id, { by: 'anna' })
  await stage.look()
  await expect.poll(async () => (await Promise.all(ids.map(stage.pidOf))).some((pid) => isPidInUse(pid))).toBe(false)
  await stage.look({ max: 0 })
  for (const id of ids) expect(await stage.boards.get(id)).toMatchObject({ status: 'ready', failures: 1 })
})

test('the scratch folder of a task is removed once it is done and nothing waits for it; what failed is kept', async () => {
  await using stage = await openStage({ script: LIVES })
  const [parent, failing] = [await stage.create(), await stage.create()]
  const { id: child } = await stage.create({ parents: [parent.id] })
  const folder = (id: string) => join(stage.home, 'workspace/kanban/default', id)
  const exists = (...ids: string[]) => ids.map((id) => existsSync(folder(id)))
  await stage.look()
  writeFileSync(join(folder(parent.id), 'report.md'), 'All of it.')
  const outside = join(stage.home, 'outside')
  mkdirSync(join(outside, parent.id), { recursive: true })
  symlinkSync(outside, join(stage.home, 'workspace/kanban/linked'))
  for (const { id } of [parent, failing]) process.kill(-(await stage.pidOf(id)), 'SIGKILL')
  for (const { id } of [parent, failing]) await expect.poll(async () => isPidInUse(await stage.pidOf(id))).toBe(false)
  await stage.look({ max: 0 })
  await stage.boards.complete(parent.id, { by: 'anna' })
  await stage.boards.block(failing.id, { by: 'anna', reason: 'Wait.' })
  const later = async () => {
    await stage.clock.advance(61_000)
    await stage.look({ max: 0 })
  }
  await later()
  expect(exists(parent.id, failing.id)).toEqual([true, true])
  await stage.boards.complete(child, { by: 'anna' })
  await later()
  expect(exists(parent.id, failing.id)).toEqual([false, true])
  await stage.boards.archive(failing.id, { by: 'anna' })
  await later()
  expect(exists(failing.id)).toEqual([true])
  const deps = { folder: join(stage.home, 'workspace/kanban'), boards: () => stage.boards, records: stage.records }
  expect(await cleanScratch(deps, { isThorough: true })).toEqual([failing.id])
  expect(exists(failing.id)).toEqual([false])
  expect(existsSync(join(outside, parent.id))).toBe(true)
})
