/** What can happen in a world: to the dispatcher, to workers, to the clock, and by people. */
import * as graph from '../../../plugins/work/kanban/graph-moves.ts'
import type { MoveDeps } from '../../../plugins/work/kanban/move.ts'
import * as runs from '../../../plugins/work/kanban/run-moves.ts'
import type { TaskRow } from '../../../plugins/work/kanban/tables.ts'
import * as moves from '../../../plugins/work/kanban/task-moves.ts'
import type { Slot, World } from './memory.ts'

/** Milliseconds of a step of the clock, and of a lease: after a step without a heartbeat it is over. */
export const STEP_MS = 1000
export const FAILURE_LIMIT = 2
const by = 'p'
const worker = { machine: 'm', pid: 1, startTime: '1' }

export interface Action {
  readonly name: string
  /** The task it is about. */
  readonly task?: string
  /** A working system does it by itself, where nothing goes wrong. */
  readonly isGood?: boolean
  /** A worker does it whose lease was taken over: it has to be refused. */
  readonly isLate?: boolean
  run(world: World, deps: MoveDeps): Promise<unknown>
}

export interface Actors {
  readonly workers: number
  readonly hasPeople: boolean
  readonly maxTasks: number
  /** All is about this task, and people say how its runs end; the others are only completed. */
  readonly subject?: string
}

export function listActions(world: World, actors: Actors): Action[] {
  const tasks = [...world.tasks.values()]
  const { subject } = actors
  if (subject !== undefined)
    return [...makeTasks(world, actors), ...tasks.flatMap((task) => treat(world, task, subject))]
  const people = actors.hasPeople ? [...makeTasks(world, actors), ...tasks.flatMap((task) => decide(world, task))] : []
  return [
    ...dispatch(world, tasks, actors),
    ...world.slots.flatMap((slot, at) => work(world, slot, at)),
    {
      name: 'clock',
      isGood: true,
      run: async (next) => {
        next.now += STEP_MS
      },
    },
    ...people,
  ]
}

function treat(world: World, task: TaskRow, subject: string): Action[] {
  const { id, status } = task
  const recompute: Action = { name: 'recompute', run: (_, deps) => moves.recompute(deps, undefined) }
  if (id !== subject)
    return status === 'ready'
      ? [{ name: 'done', task: id, run: (_, deps) => moves.complete(deps, id, { by, summary: 'x' }) }]
      : []
  return [recompute, claimOnly(id), ...workOnly(task), ...decide(world, task)]
}

function claimOnly(id: string): Action {
  return {
    name: 'claim',
    task: id,
    run: async (next, deps) => {
      const claimed = await runs.claim(deps, id, { holder: 'd', ttlMs: STEP_MS })
      if (!('refused' in claimed)) count(next, id, 1)
    },
  }
}

function workOnly({ id, epoch, nonce, worker: known }: TaskRow): Action[] {
  if (nonce === null || known !== null) return []
  const lease = { taskId: id, epoch, nonce }
  return [
    { name: 'started', task: id, run: (_, deps) => runs.started(deps, lease, worker) },
    { name: 'heartbeat', task: id, run: (_, deps) => runs.heartbeat(deps, lease, {}) },
    { name: 'submit', task: id, run: (_, deps) => runs.submit(deps, lease, { summary: 'x' }) },
  ]
}

function dispatch(world: World, tasks: readonly TaskRow[], { workers }: Actors): Action[] {
  const { dispatcher } = world
  if (!dispatcher.isUp)
    return [
      {
        name: 'restart',
        isGood: true,
        run: async (next) => {
          next.dispatcher = { isUp: true }
        },
      },
    ]
  const actions: Action[] = [
    {
      name: 'dispatcher dies',
      run: async (next) => {
        next.dispatcher = { isUp: false }
      },
    },
    { name: 'recompute', isGood: true, run: (_, deps) => moves.recompute(deps, undefined) },
  ]
  const { claimed } = dispatcher
  if (claimed) {
    const { taskId } = claimed
    actions.push(
      { name: 'spawn', task: taskId, isGood: true, run: async (next) => spawn(next, claimed) },
      {
        name: 'spawn fails',
        task: taskId,
        run: async (next, deps) => {
          next.dispatcher = { isUp: true }
          count(next, taskId, 1)
          await end(deps, claimed, 'spawn_failed')
        },
      },
    )
  } else if (world.slots.length < workers)
    for (const { id } of tasks)
      actions.push({ name: 'claim', task: id, isGood: true, run: (next, deps) => take(next, deps, id) })
  for (const task of tasks)
    if (task.status === 'running' && (task.expires_at ?? 0) <= world.now && claimed?.taskId !== task.id)
      actions.push({ name: 'lapsed', task: task.id, isGood: true, run: (next, deps) => lapse(next, deps, task) })
  return actions
}

async function take(next: World, deps: MoveDeps, id: string): Promise<void> {
  const claimed = await runs.claim(deps, id, { holder: 'd', ttlMs: STEP_MS })
  if ('refused' in claimed) return
  const { epoch, nonce } = claimed.task
  next.dispatcher = { isUp: true, claimed: { state: 'spawned', taskId: id, epoch, nonce: nonce ?? '' } }
}

function spawn(next: World, claimed: Slot): void {
  next.dispatcher = { isUp: true }
  next.slots = [...next.slots, claimed]
  count(next, claimed.taskId, 1)
}

function count(next: World, id: string, by: number): void {
  next.spawns = { ...next.spawns, [id]: (next.spawns[id] ?? 0) + by }
}

/** Ends the process of the run, if there is one, and then the run. */
async function lapse(next: World, deps: MoveDeps, task: TaskRow): Promise<void> {
  next.slots = next.slots.filter((slot) => slot.taskId !== task.id || slot.epoch !== task.epoch)
  await end(deps, { taskId: task.id, epoch: task.epoch }, 'lapsed')
}

async function end(
  deps: MoveDeps,
  run: { readonly taskId: string; readonly epoch: number },
  outcome: Parameters<typeof runs.endRun>[2]['outcome'],
): Promise<void> {
  await runs.endRun(deps, run, {
    outcome,
    failureLimit: FAILURE_LIMIT,
    pauseMs: outcome === 'rate_limited' ? STEP_MS : 0,
  })
}

function work(world: World, slot: Slot, at: number): Action[] {
  const { taskId, epoch, nonce, state } = slot
  const lease = { taskId, epoch, nonce }
  const task = world.tasks.get(taskId)
  const isLate = task?.status !== 'running' || task.epoch !== epoch
  const become = (next: World, to: Slot['state'] | undefined) => {
    next.slots = next.slots.flatMap((one, n) => (n !== at ? [one] : to === undefined ? [] : [{ ...one, state: to }]))
  }
  const own = (name: string, isGood: boolean, run: Action['run']): Action => ({
    name,
    task: taskId,
    isGood,
    isLate,
    run,
  })
  if (state === 'crashed' || state === 'exited' || state === 'limited') return world.dispatcher.isUp ? [reap()] : []
  const dies: Action[] = (['crashed', 'exited', 'limited'] as const).map((to) => ({
    name: `worker ${to}`,
    task: taskId,
    run: async (next) => become(next, to),
  }))
  // One whose lease is lost stops when it is told so.
  const gone: Action = { name: 'worker stops', isGood: true, run: async (next) => become(next, undefined) }
  if (state === 'spawned')
    return [
      ...dies,
      ...(isLate ? [gone] : []),
      own('started', true, async (next, deps) => {
        await runs.started(deps, lease, worker)
        become(next, 'working')
      }),
    ]
  return [
    ...dies,
    ...(isLate ? [gone] : []),
    own('heartbeat', false, (_, deps) => runs.heartbeat(deps, lease, {})),
    own('complete', true, async (next, deps) => {
      await moves.complete(deps, taskId, { by, lease, summary: 'x' })
      become(next, undefined)
    }),
    own('block', false, async (next, deps) => {
      await moves.block(deps, taskId, { by, lease, reason: 'x' })
      become(next, undefined)
    }),
  ]

  /** A dispatcher that did not start the process cannot see how it ended: then the lease lapses. */
  function reap(): Action {
    const outcome = state === 'crashed' ? 'crashed' : state === 'exited' ? 'protocol_violation' : 'rate_limited'
    return {
      name: 'reap',
      task: taskId,
      isGood: true,
      run: async (next, deps) => {
        become(next, undefined)
        if (isLate) return
        if (state === 'limited') count(next, taskId, -1)
        await end(deps, lease, outcome)
      },
    }
  }
}

function makeTasks(world: World, { maxTasks }: Actors): Action[] {
  const create = (name: string, input: object): Action => ({
    name,
    run: (_, deps) => graph.create(deps, 'b', { title: 'x', by, assignee: 'a', ...input }),
  })
  const free = maxTasks - world.created
  if (free <= 0) return []
  const [first] = world.tasks.keys()
  return [
    create('create', {}),
    create('create triage', { isTriage: true }),
    create('create blocked', { isBlocked: true }),
    create('create with a budget', { budgetUsd: 1 }),
    ...(first === undefined ? [] : [create('create child', { parents: [first] })]),
  ]
}

/** What people may do with a task, in whatever status it is: what it does not allow has to be refused. */
function decide(world: World, { id, status, epoch, nonce, budget_usd }: TaskRow): Action[] {
  const action = (name: string, run: (deps: MoveDeps, next: World) => Promise<unknown>, resets = false): Action => ({
    name,
    task: id,
    run: async (next, deps) => {
      await run(deps, next)
      if (resets) next.spawns = { ...next.spawns, [id]: 0 }
    },
  })
  const change = { by }
  const others = [...world.tasks.keys()].filter((other) => other !== id)
  const tasks = [{ title: 'y', assignee: 'a' }]
  return [
    action('complete', (deps) => moves.complete(deps, id, { by, summary: 'x' })),
    ...[undefined, 'needs_input', 'dependency'].map((kind) =>
      action(`block ${kind}`, (deps) =>
        moves.block(deps, id, { by, reason: 'x', ...(kind && { kind: kind as 'needs_input' }) }),
      ),
    ),
    action('unblock', (deps) => moves.unblock(deps, id, change), true),
    action('schedule', (deps) => moves.schedule(deps, id, change)),
    action('schedule due', (deps, next) => moves.schedule(deps, id, { by, at: next.now }), true),
    action('promote', (deps) => moves.promote(deps, id, change), true),
    action('force', (deps) => moves.promote(deps, id, { by, force: true }), true),
    action('archive', (deps) => moves.archive(deps, id, change)),
    action('remove', (deps) => moves.remove(deps, id)),
    action('reclaim', (deps) => moves.reclaim(deps, id, change), true),
    action('specify', (deps) => graph.specify(deps, id, change), true),
    ...(world.created === 2
      ? [action('decompose', (deps) => graph.decompose(deps, id, { tasks, rootAssignee: 'r', by, comment: 'c' }), true)]
      : []),
    ...others.flatMap((other) => [
      action(`link`, (deps) => graph.link(deps, other, id, change)),
      ...(nonce === null
        ? []
        : [action('own link', (deps) => graph.link(deps, other, id, { by, lease: { taskId: id, epoch, nonce } }))]),
      action(`unlink`, (deps) => graph.unlink(deps, other, id, change)),
    ]),
    ...(status === 'running' ? endings(id, epoch) : []),
    ...(budget_usd !== null && status === 'ready'
      ? [
          action('spend', async (deps) => {
            const task = await deps.tables.task(id)
            if (task) await deps.tables.saveTask(task, { spent_usd: 1 })
          }),
        ]
      : []),
  ]
}

/** Ends of a run that a small world does not come to by itself. */
function endings(taskId: string, epoch: number): Action[] {
  const outcomes = [
    ...(['crashed', 'timed_out', 'spawn_failed', 'checks_failed', 'lapsed', 'stale'] as const),
    ...(['rate_limited', 'protocol_violation'] as const),
  ]
  return outcomes.map((outcome) => ({
    name: `ends ${outcome}`,
    task: taskId,
    run: async (next, deps) => {
      const wasBegun = next.dispatcher.claimed?.taskId !== taskId
      if (next.dispatcher.claimed?.taskId === taskId) next.dispatcher = { isUp: true }
      next.slots = next.slots.filter((slot) => slot.taskId !== taskId)
      if (outcome === 'rate_limited' && wasBegun) count(next, taskId, -1)
      await end(deps, { taskId, epoch }, outcome)
    },
  }))
}
