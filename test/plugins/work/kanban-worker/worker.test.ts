/** Whole workers: the built program, a scripted model, one dispatcher that goes on while they work. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Task, WORKER_VARIABLES } from 'svc/sdk/kanban'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../../support/model-replies.ts'
import { type Asked, call, killGroup, openScene, type Scene } from '../kanban-dispatcher/scene.ts'

type Story = (asked: Asked) => Reply

/** What the model does, by the title of the task. */
const stories: Record<string, Story> = {}
/** How often it was asked for each of them. */
const counts: Record<string, number> = {}
let scene: Scene

const ends = (summary: string): Reply => call('kanban_complete', { summary })
const has = ({ called }: Asked, name: string) => called.some((each) => each.name === name)
const findResult = ({ called }: Asked, name: string) => called.findLast((each) => each.name === name)?.result ?? ''

beforeAll(async () => {
  scene = await openScene({
    profiles: ['ada', 'bob'],
    config:
      'kanban_dispatcher:\n  max_workers: 8\n  interval_seconds: 2\n  keep_workspaces: true\nkanban:\n  orchestrator_profile: default\n',
    model: (asked) => {
      counts[asked.title] = (counts[asked.title] ?? 0) + 1
      return stories[asked.title]?.(asked) ?? 'I have no story.'
    },
  })
  scene.watch()
})
afterAll(() => scene[Symbol.asyncDispose]())

const MAX_WAIT_MS = 50_000

/** Returns the last answer, whatever it is: what is expected of it is said where it is called. */
async function waitFor<T>(look: () => T | Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (const end = Date.now() + MAX_WAIT_MS; ; await wait(100)) {
    const value = await look()
    if (isThere(value) || Date.now() > end) return value
  }
}

async function until(task: Task, status: Task['status']): Promise<Task> {
  const last = await waitFor(
    () => scene.boards.get(task.id),
    (now) => now.status === status,
  )
  expect(last, scene.log(task.id)).toMatchObject({ status })
  return last
}

describe.concurrent('a worker', () => {
  test('does its task, and what waited for it follows with its result in view', async () => {
    stories['dig'] = (asked) => (has(asked, 'kanban_complete') ? 'Done.' : ends('a hole of 2 m'))
    let seen = ''
    stories['plant'] = (asked) => {
      if (has(asked, 'kanban_complete')) return 'Done.'
      if (!has(asked, 'kanban_show')) return call('kanban_show', {})
      seen = findResult(asked, 'kanban_show')
      return ends('a tree')
    }
    const dig = await scene.create({ title: 'dig' })
    const plant = await scene.create({ title: 'plant', parents: [dig.id], assignee: 'ada' })
    expect(await until(plant, 'done')).toMatchObject({ summary: 'a tree', isVerified: false })
    expect(seen).toContain('a hole of 2 m')
    const { runs } = await scene.boards.details(plant.id)
    expect(runs[0]?.cost).toMatchObject({ calls: expect.any(Number), model: 'fake-model' })
    expect(existsSync(join(scene.home, 'profiles', 'ada', 'data', 'sessions'))).toBe(true)
    expect(scene.log(plant.id)).toContain('> kanban_complete')
  })

  test('that ends without a word about its task is reminded twice, and then its task is blocked', async () => {
    stories['idle'] = () => 'That was all.'
    const task = await until(await scene.create({ title: 'idle' }), 'blocked')
    expect(task.blockReason).toMatch(/neither completed nor blocked/)
    expect(counts['idle']).toBe(3)
  })

  test('that has no key leaves a task for a person, with the reason', async () => {
    stories['locked'] = () => ({ fault: { status: 401, message: 'Incorrect API key provided: sk-***' } })
    const task = await until(await scene.create({ title: 'locked' }), 'blocked')
    expect(task).toMatchObject({ blockKind: 'capability', blockReason: expect.stringMatching(/key/i) })
  })

  test('whose model service refuses it for long counts no failure and waits', async () => {
    stories['refused'] = () => ({
      fault: { status: 429, headers: { 'retry-after': '7200' }, message: 'Rate limit reached.' },
    })
    const task = await scene.create({ title: 'refused', assignee: 'bob' })
    const runs = () => scene.boards.runs({ taskId: task.id })
    const ended = await waitFor(runs, ([run]) => run?.endedAt !== undefined)
    expect(ended.map(({ outcome }) => outcome)).toEqual(['rate_limited'])
    expect(await scene.boards.get(task.id)).toMatchObject({
      status: 'ready',
      failures: 0,
      notBefore: expect.any(Number),
    })
  })

  test('that hands in too early gets its task back with what the checks found', async () => {
    let told = ''
    const early: Story = (asked) => (has(asked, 'kanban_complete') ? 'Done.' : ends('I wrote it, surely'))
    const late: Story = (asked) => (asked.last.includes('is handed in') ? 'Done.' : ends('I wrote it'))
    stories['proof'] = (asked) => {
      if (asked.last.startsWith('You resume kanban task')) told = asked.last
      if (told === '') return early(asked)
      return has(asked, 'write_file') ? late(asked) : call('write_file', { path: 'result.txt', content: '42\n' })
    }
    const created = await scene.create({
      title: 'proof',
      checks: [{ type: 'file', path: 'result.txt', contains: '42' }],
    })
    expect(await until(created, 'done')).toMatchObject({ isVerified: true, summary: 'I wrote it' })
    expect(told).toContain('not met: result.txt is not there')
  })

  test('is found by what its commands have in their environment, which have no secrets in it', async () => {
    stories['mark'] = (asked) => {
      if (!has(asked, 'terminal')) return call('terminal', { command: 'env' })
      return has(asked, 'kanban_complete') ? 'Done.' : ends(findResult(asked, 'terminal'))
    }
    const task = await until(await scene.create({ title: 'mark' }), 'done')
    expect(task.result).toMatch(new RegExp(`^${WORKER_VARIABLES.token}=[0-9a-f]{32}$`, 'm'))
  })

  test('that needs other tasks first creates them, waits, and judges their results', async () => {
    stories['part'] = (asked) => (has(asked, 'kanban_complete') ? 'Done.' : ends('the part is made'))
    let judged = ''
    const judge: Story = (asked) =>
      asked.last.includes('it is marked as not verified') ? 'Done.' : ends('the whole is good')
    const waits: Story = (asked) =>
      has(asked, 'kanban_block') ? 'Later.' : call('kanban_block', { reason: 'the part', kind: 'dependency' })
    stories['whole'] = (asked) => {
      if (asked.last.startsWith('You resume kanban task')) judged = asked.last
      if (judged !== '') return judge(asked)
      if (has(asked, 'kanban_create')) return waits(asked)
      return call('kanban_create', { title: 'part', body: 'make it', first: true })
    }
    const whole = await scene.create({ title: 'whole' })
    expect(await until(whole, 'done')).toMatchObject({ summary: 'the whole is good' })
    expect(judged).toContain('the part is made')
    const { parents } = await scene.boards.details(whole.id)
    expect(parents).toMatchObject([{ title: 'part', status: 'done' }])
  })

  test('can neither see nor change what is not next to its task, and adds no checks that run something', async () => {
    const stranger = await scene.create({ title: 'of others', isBlocked: true })
    const refused: string[] = []
    const tries: readonly [string, Record<string, unknown>][] = [
      ['kanban_show', { task_id: stranger.id }],
      ['kanban_comment', { task_id: stranger.id, body: 'hello' }],
      ['kanban_create', { title: 'x', parents: [stranger.id] }],
      ['kanban_create', { title: 'x', checks: [{ type: 'command', command: 'touch /tmp/x' }] }],
      ['kanban_list', {}],
      ['kanban_unblock', { task_id: stranger.id, reason: 'because' }],
    ]
    stories['spy'] = (asked) => {
      if (asked.called.length > 0 && !has(asked, 'kanban_complete')) refused.push(asked.last)
      const next = tries[asked.called.length]
      if (next) return call(...next)
      return has(asked, 'kanban_complete') ? 'Done.' : ends('nothing seen')
    }
    await until(await scene.create({ title: 'spy', assignee: 'ada' }), 'done')
    expect(refused).toHaveLength(tries.length)
    for (const text of refused.slice(0, 3)) expect(text).toMatch(/neither your task/)
    expect(refused[3]).toMatch(/checks/)
    for (const text of refused.slice(4)) expect(text).toMatch(/Only the orchestrator/)
    expect(await scene.boards.details(stranger.id)).toMatchObject({ task: { status: 'blocked' }, comments: [] })
  })

  test('that is killed after an effect that must not be repeated goes on in its conversation and does not repeat it', async () => {
    let isHeld = false
    stories['push'] = (asked) => {
      if (!has(asked, 'terminal')) return call('terminal', { command: 'echo pushed >> effects' })
      if (!isHeld) {
        isHeld = true
        return { text: 'too late', delayMs: 60_000 }
      }
      return has(asked, 'kanban_complete') ? 'Done.' : ends('pushed')
    }
    const task = await scene.create({ title: 'push' })
    await waitFor(
      () => isHeld,
      (value) => value,
    )
    killGroup((await scene.boards.get(task.id)).hold?.worker?.pid ?? 0)
    expect(await until(task, 'done')).toMatchObject({ summary: 'pushed' })
    const effects = join(scene.home, 'workspace', 'kanban', 'default', task.id, 'effects')
    expect(readFileSync(effects, 'utf8')).toBe('pushed\n')
    const { runs } = await scene.boards.details(task.id)
    expect(runs.map(({ outcome }) => outcome).sort()).toEqual(['completed', 'crashed'])
  })
})

test('a worker without a claimed task says who starts workers', async () => {
  expect(await scene.run(['kanban', 'work'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/svc kanban dispatch \(KANBAN_NO_CLAIM\)/),
  })
})
