/** Random walks: the same moves on the tables of the explorer and on those of a database, compared after each. */
import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { SharedStore } from 'svc/sdk/store'
import type { TestKernel, VirtualClock } from 'svc/sdk/testing'
import { BoardStore, type ChangeDeps } from '../../../plugins/work/kanban/board-store.ts'
import * as graph from '../../../plugins/work/kanban/graph-moves.ts'
import type { MoveDeps } from '../../../plugins/work/kanban/move.ts'
import * as runs from '../../../plugins/work/kanban/run-moves.ts'
import type { RunRow, TaskRow } from '../../../plugins/work/kanban/tables.ts'
import * as moves from '../../../plugins/work/kanban/task-moves.ts'
import { TRANSITIONS } from '../../../plugins/work/kanban/transitions.ts'
import { copyWorld, MemoryTables, type World } from './memory.ts'

const by = 'p'
const BOARD = 'default'
const LEASE_MS = 1000
const OUTCOMES = [
  'crashed',
  'timed_out',
  'spawn_failed',
  'checks_failed',
  'lapsed',
  'stale',
  'rate_limited',
  'protocol_violation',
] as const
const KINDS = ['dependency', 'needs_input', undefined] as const

/** One move; numbers choose tasks and variants. */
export interface WalkStep {
  readonly name: keyof typeof STEPS
  readonly first: number
  readonly second: number
  readonly variant: number
}

interface Chosen {
  readonly id: string
  readonly other: string
  readonly variant: number
  /** Of the last claim that the task had, or of the one before. */
  lease(): Promise<{ readonly taskId: string; readonly epoch: number; readonly nonce: string }>
}

const STEPS = {
  create: (deps: MoveDeps, { id, variant }: Chosen) =>
    graph.create(deps, BOARD, {
      ...{
        title: 'x',
        by,
        assignee: variant % 7 === 0 ? '' : 'a',
        isTriage: variant % 5 === 1,
        isBlocked: variant % 5 === 2,
      },
      ...(id !== '' && variant % 2 === 0 && { parents: [id] }),
    }),
  claim: (deps: MoveDeps, { id }: Chosen) => runs.claim(deps, id, { holder: 'd', ttlMs: LEASE_MS }),
  started: async (deps: MoveDeps, { lease }: Chosen) =>
    runs.started(deps, await lease(), { machine: 'm', pid: 1, startTime: '1' }),
  heartbeat: async (deps: MoveDeps, { lease }: Chosen) => runs.heartbeat(deps, await lease(), {}),
  submit: async (deps: MoveDeps, { lease }: Chosen) => runs.submit(deps, await lease(), { summary: 'x' }),
  finish: async (deps: MoveDeps, { id, lease }: Chosen) =>
    moves.complete(deps, id, { by, summary: 'x', lease: await lease() }),
  complete: (deps: MoveDeps, { id }: Chosen) => moves.complete(deps, id, { by, summary: 'x' }),
  block: (deps: MoveDeps, { id, variant }: Chosen) => {
    const kind = KINDS[variant % KINDS.length]
    return moves.block(deps, id, { by, reason: 'y', ...(kind && { kind }) })
  },
  end: async (deps: MoveDeps, { lease, variant }: Chosen) =>
    runs.endRun(deps, await lease(), {
      outcome: OUTCOMES[variant % OUTCOMES.length] ?? 'crashed',
      pauseMs: variant % 2 ? 500 : 0,
    }),
  reclaim: (deps: MoveDeps, { id }: Chosen) => moves.reclaim(deps, id, { by }),
  unblock: (deps: MoveDeps, { id }: Chosen) => moves.unblock(deps, id, { by }),
  schedule: (deps: MoveDeps, { id, variant }: Chosen) =>
    moves.schedule(deps, id, { by, ...(variant % 2 && { at: deps.tables.now + 700 }) }),
  promote: (deps: MoveDeps, { id, variant }: Chosen) => moves.promote(deps, id, { by, force: variant % 2 === 0 }),
  specify: (deps: MoveDeps, { id }: Chosen) => graph.specify(deps, id, { by, title: 'z' }),
  decompose: (deps: MoveDeps, { id }: Chosen) =>
    graph.decompose(deps, id, {
      ...{ by, comment: 'c', rootAssignee: 'o' },
      tasks: [
        { title: 'one', assignee: 'a' },
        { title: 'two', assignee: 'a', parents: [0] },
      ],
    }),
  link: (deps: MoveDeps, { id, other }: Chosen) => graph.link(deps, id, other, { by }),
  unlink: (deps: MoveDeps, { id, other }: Chosen) => graph.unlink(deps, id, other, { by }),
  archive: (deps: MoveDeps, { id }: Chosen) => moves.archive(deps, id, { by }),
  remove: (deps: MoveDeps, { id }: Chosen) => moves.remove(deps, id),
  recompute: (deps: MoveDeps) => moves.recompute(deps, undefined),
} as const

export const walk: fc.Arbitrary<WalkStep[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
    first: fc.nat(4),
    second: fc.nat(4),
    variant: fc.nat(40),
  }),
  { minLength: 10, maxLength: 60 },
)

/** Goes the way on both, and throws at the first difference. */
export async function compareWalk(
  { kernel, clock }: { readonly kernel: TestKernel; readonly clock: VirtualClock },
  steps: readonly WalkStep[],
): Promise<void> {
  const ids = new Ids()
  const random = { hex: (bytes: number) => ids.next(bytes), next: () => 0.5, uuid: () => '' }
  const store = new BoardStore({ store: () => kernel.use(SharedStore), random: () => random })
  try {
    await store.change(clear)
    let world = emptyWorld()
    for (const [at, step] of steps.entries()) {
      await clock.advance(step.variant * 25)
      world = { ...world, now: clock.now() }
      const [one, next] = await applyInMemory(world, step)
      world = next
      const other = await applyInStore(store, step, ids)
      if (one === other) continue
      throw new Error(
        `They differ after ${JSON.stringify(steps.slice(0, at + 1))}\nexplorer: ${one}\ndatabase: ${other}`,
      )
    }
  } finally {
    await store.close()
  }
}

/** As the tables of the explorer give them out: what is taken back gives its ids back. */
class Ids {
  #tasks = 0
  #others = 0

  next(bytes: number): string {
    return bytes === 4 ? String.fromCharCode(97 + this.#tasks++) : `n${++this.#others}`
  }

  mark(): () => void {
    const tasks = this.#tasks
    return () => {
      this.#tasks = tasks
    }
  }
}

function emptyWorld(): World {
  return {
    ...{ now: 0, tasks: new Map(), links: [], runs: new Map(), slots: [] },
    ...{ dispatcher: { isUp: true }, spawns: {}, counter: 0, created: 0 },
  }
}

async function applyInMemory(world: World, step: WalkStep): Promise<readonly [string, World]> {
  const next = copyWorld(world)
  const tables = new MemoryTables(next)
  const ids = [...world.tasks.keys()]
  const result = await attempt(() => take({ tables, transitions: TRANSITIONS }, step, ids))
  const after = result === 'done' ? next : world
  const events = result === 'done' ? tables.events.map(({ taskId, kind }) => `${taskId} ${kind}`) : []
  const links = after.links.map(({ parent, child }) => `${parent}>${child}`)
  return [describe({ result, events, links, tasks: [...after.tasks.values()], runs: [...after.runs.values()] }), after]
}

async function applyInStore(store: BoardStore, step: WalkStep, ids: Ids): Promise<string> {
  const { query } = await store.open()
  const known = (await query.selectFrom('tasks').select('id').execute()).map(({ id }) => id)
  const takeBack = ids.mark()
  let events: string[] = []
  const result = await attempt(async () => {
    const changed = await store.changeWithEvents((deps) => take(deps, step, known))
    events = changed.events.map(({ task_id, kind }) => `${task_id} ${kind}`)
  })
  if (result !== 'done') takeBack()
  const links = (await query.selectFrom('links').selectAll().execute()).map(({ parent, child }) => `${parent}>${child}`)
  const runs = await query.selectFrom('runs').selectAll().where('ended_at', 'is', null).execute()
  return describe({ result, events, links, tasks: await query.selectFrom('tasks').selectAll().execute(), runs })
}

async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}

async function take(deps: MoveDeps, { name, first, second, variant }: WalkStep, ids: readonly string[]) {
  const sorted = [...ids].sort()
  const [id = '', other = ''] = [first, second].map((at) => sorted[at % Math.max(1, sorted.length)])
  const lease = async () => {
    const task = await deps.tables.task(id)
    // Now and then that of a worker whose time is over.
    return { taskId: id, epoch: (task?.epoch ?? 1) - (variant % 6 === 5 ? 1 : 0), nonce: task?.nonce ?? '' }
  }
  await STEPS[name](deps, { id, other, variant, lease })
}

async function clear({ tx }: ChangeDeps): Promise<void> {
  for (const table of ['tasks', 'runs', 'events', 'links', 'comments'] as const) await tx.deleteFrom(table).execute()
}

interface Seen {
  readonly result: string
  readonly events: readonly string[]
  readonly links: readonly string[]
  readonly tasks: readonly TaskRow[]
  readonly runs: readonly RunRow[]
}

/** Ids of runs and nonces differ: what matters is whether there are any. */
function describe({ result, events, links, tasks, runs }: Seen): string {
  const plainTasks = tasks.map((task) => sorted({ ...task, run_id: task.run_id !== null, nonce: task.nonce !== null }))
  const plainRuns = runs.map((run) => sorted({ ...run, id: 0 }))
  return JSON.stringify([result, events, [...links].sort(), plainTasks.sort(), plainRuns.sort()])
}

function sorted(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))
}
