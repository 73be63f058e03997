/** Visits every state that a world can come to by the moves of tasks, and says what is wrong in it. */
import { errorCode } from 'svc/sdk'
import type { NewEvent, TaskRow } from '../../../plugins/work/kanban/tables.ts'
import type { Transition } from '../../../plugins/work/kanban/transitions.ts'
import { type Action, type Actors, FAILURE_LIMIT, listActions } from './actions.ts'
import { copyWorld, MemoryTables, type World } from './memory.ts'

export interface Exploration {
  readonly states: number
  /** What was seen of the table: `running -> ready: crashed`, with what changed besides. */
  readonly edges: readonly string[]
  /** At most `maxProblems`. */
  readonly problems: readonly string[]
}

export interface ExploreOptions extends Actors {
  readonly table: readonly Transition[]
  readonly maxProblems?: number
  /** Steps at most from the first world on. */
  readonly maxDepth?: number
  /** Ends at a step that is not among these. */
  readonly edges?: readonly string[]
  /** Whether everything that is not blocked has to end, from every state. */
  readonly checksLiveness?: boolean
  /** Builds the first world out of an empty one. */
  prepare?(world: World, deps: { tables: MemoryTables; transitions: readonly Transition[] }): Promise<unknown>
}

interface Node {
  readonly world: World
  readonly path: string
  readonly depth: number
  /** Indices of states from which a good step leads here. */
  readonly before: number[]
}

export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { table, maxProblems = 5, maxDepth = Infinity } = options
  const first: World = {
    ...{ now: 1_000_000, tasks: new Map(), links: [], runs: new Map(), slots: [] },
    ...{ dispatcher: { isUp: true }, spawns: {}, counter: 0, created: 0 },
  }
  try {
    await options.prepare?.(first, { tables: new MemoryTables(first), transitions: table })
  } catch (error) {
    return { states: 0, edges: [], problems: [`there is no first world: ${String(error)}`] }
  }
  const graph = new Graph(first, table)
  const expected = options.edges && new Set(options.edges)
  const isOver = () =>
    graph.problems.length >= maxProblems || (expected && [...graph.edges].some((edge) => !expected.has(edge)))
  for (let at = 0; at < graph.nodes.length && at < MAX_STATES && !isOver(); at++) {
    if ((graph.nodes[at] as Node).depth >= maxDepth) break
    for (const action of listActions((graph.nodes[at] as Node).world, options)) await graph.visit(at, action)
  }
  const { nodes, edges, problems } = graph
  if (options.checksLiveness && problems.length === 0) problems.push(...findStuck(nodes).slice(0, maxProblems))
  return { states: nodes.length, edges: [...edges].sort(), problems }
}

/** The states that are known, and what was seen on the way. */
class Graph {
  readonly nodes: Node[]
  readonly problems: string[] = []
  readonly edges = new Set<string>()
  readonly #known: Map<string, number>
  readonly #table: readonly Transition[]

  constructor(first: World, table: readonly Transition[]) {
    this.nodes = [{ world: first, path: '', depth: 0, before: [] }]
    this.#known = new Map([[describe(first), 0]])
    this.#table = table
  }

  async visit(at: number, action: Action): Promise<void> {
    const { world, path, depth } = this.nodes[at] as Node
    const here = `${path} > ${action.name}${action.task ? ` ${action.task}` : ''}`.slice(-400)
    const report = (text: string) => void this.problems.push(`${text}: ${here}`)
    const next = await take(action, { world, table: this.#table, edges: this.edges, report })
    if (!next) return
    const key = describe(next)
    const index = this.#known.get(key) ?? this.nodes.length
    if (index === this.nodes.length) {
      this.#known.set(key, index)
      this.nodes.push({ world: next, path: here, depth: depth + 1, before: [] })
      check(next, report)
    }
    if (action.isGood) this.nodes[index]?.before.push(at)
  }
}

interface Visit {
  readonly world: World
  readonly table: readonly Transition[]
  readonly edges: Set<string>
  report(text: string): void
}

/** The world after an action; undefined where it was refused. */
async function take(action: Action, { world, table, edges, report }: Visit): Promise<World | undefined> {
  const next = copyWorld(world)
  const tables = new MemoryTables(next)
  if (!(await attempt(action, next, { tables, transitions: table }, report))) return undefined
  compare(world, next, tables.events, { name: action.name, ended: tables.ended, report, edges })
  return next
}

/** False where it was refused: the database takes back what was written before. */
async function attempt(
  action: Action,
  next: World,
  deps: Parameters<Action['run']>[1],
  report: (text: string) => void,
): Promise<boolean> {
  try {
    await action.run(next, deps)
    if (action.isLate && action.name !== 'reap') report('a worker that lost its lease was heard')
    return true
  } catch (error) {
    if (
      !['KANBAN_REFUSED', 'KANBAN_LEASE_LOST', 'KANBAN_GRAPH', 'KANBAN_TASK_UNKNOWN'].includes(errorCode(error) ?? '')
    )
      report(String(error))
    return false
  }
}

/** No world of a test has so many: the table lets something grow without end. */
const MAX_STATES = 60_000
const FINAL = ['done', 'archived']

/** What has to hold in every state. */
function check(world: World, report: (text: string) => void): void {
  for (const task of world.tasks.values()) {
    checkLease(world, task, report)
    if ((world.spawns[task.id] ?? 0) > FAILURE_LIMIT + 1) report(`${task.id} was begun too often`)
    if (task.failures > FAILURE_LIMIT) report(`${task.id} failed too often`)
    const parents = world.links.filter(({ child }) => child === task.id).map(({ parent }) => world.tasks.get(parent))
    const waits = task.ignores_parents === 0 && parents.some((parent) => parent && !FINAL.includes(parent.status))
    if (waits && task.status === 'ready') report(`${task.id} is ${task.status} before its parents are done`)
  }
  const live = world.slots.filter(({ taskId, epoch }) => {
    const task = world.tasks.get(taskId)
    return task?.status === 'running' && task.epoch === epoch
  })
  if (new Set(live.map(({ taskId }) => taskId)).size !== live.length) report('two workers have one lease')
}

function checkLease(world: World, task: TaskRow, report: (text: string) => void): void {
  const open = [...world.runs.values()].filter(({ task_id }) => task_id === task.id)
  const isHeld = task.nonce !== null && task.run_id !== null && task.expires_at !== null
  const isRight = task.status === 'running' ? isHeld && open.length === 1 : open.length === 0 && task.nonce === null
  if (!isRight) report(`${task.id} is ${task.status} with ${open.length} open runs`)
  if (open.some(({ epoch, id }) => epoch !== task.epoch || id !== task.run_id)) report('a run has another epoch')
}

/** What has to hold of every step, and what it showed of the table. */
function compare(
  before: World,
  after: World,
  events: readonly NewEvent[],
  {
    name,
    ended,
    report,
    edges,
  }: {
    readonly name: string
    readonly ended: readonly string[]
    report(text: string): void
    readonly edges: Set<string>
  },
): void {
  for (const id of new Set([...before.tasks.keys(), ...after.tasks.keys()])) {
    const [old, task] = [before.tasks.get(id), after.tasks.get(id)]
    const kinds = events.filter(({ taskId }) => taskId === id).map(({ kind }) => kind)
    if (old?.status === task?.status && kinds.length === 0) continue
    if (old?.status !== task?.status && task && kinds.length === 0) report(`${id} became ${task.status} silently`)
    if (old && task) checkStep(old, task, report)
    if (old && FINAL.includes(old.status) && task && task.status !== old.status && task.status !== 'archived')
      report(`${id} was ${old.status} and is ${task.status}`)
    edges.add(
      `${name}: ${old?.status ?? '-'} -> ${task?.status ?? '-'}, ${[...kinds, ...describeStep(old, task, { before, after, ended })].join(' ')}`,
    )
  }
}

function checkStep(old: TaskRow, task: TaskRow, report: (text: string) => void): void {
  const enters = old.status !== 'running' && task.status === 'running'
  if (task.epoch !== old.epoch + (enters ? 1 : 0)) report(`${task.id} went from epoch ${old.epoch} to ${task.epoch}`)
  if (task.failures > old.failures + 1) report(`${task.id} failed ${task.failures - old.failures} times at once`)
}

function describeStep(
  old: TaskRow | undefined,
  task: TaskRow | undefined,
  { before, after, ended }: { readonly before: World; readonly after: World; readonly ended: readonly string[] },
): string[] {
  const failures = (task?.failures ?? 0) - (old?.failures ?? 0)
  const isPaused = task?.not_before !== null && (task?.not_before ?? 0) > after.now && task?.status === 'ready'
  const wasOpen = [...before.runs.values()].some(({ task_id }) => task_id === old?.id)
  const isOpen = [...after.runs.values()].some(({ task_id }) => task_id === task?.id)
  return [
    failures > 0 ? '+failure' : failures < 0 ? '-failures' : '',
    isPaused ? 'paused' : '',
    wasOpen === isOpen ? '' : isOpen ? '+run' : `-run ${ended.join(' ')}`,
  ].filter((text) => text !== '')
}

/** States from which a system in which nothing goes wrong any more does not come to an end. */
function findStuck(nodes: readonly Node[]): string[] {
  const isEnd = ({ tasks, slots, dispatcher }: World) =>
    slots.length === 0 &&
    !dispatcher.claimed &&
    [...tasks.values()].every(({ status }) => status !== 'running' && status !== 'ready')
  const reached = new Set<number>()
  const open = nodes.flatMap(({ world }, at) => (isEnd(world) ? [at] : []))
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reached.has(at)) continue
    reached.add(at)
    open.push(...(nodes[at] as Node).before)
  }
  return nodes.flatMap(({ path }, at) => (reached.has(at) ? [] : [`it never ends: ${path}`]))
}

/** A world by what can make a difference: epochs and moments only by how they compare. */
function describe(world: World): string {
  const tasks = [...world.tasks.values()].map((task) =>
    [
      ...[
        task.id,
        task.status,
        task.failures,
        Math.min(task.block_recurrences, 2),
        task.block_kind ?? '',
        task.ignores_parents,
      ],
      task.status === 'running' ? Number((task.expires_at ?? 0) > world.now) : '',
      task.worker === null ? 0 : 1,
      task.not_before === null ? '' : Number(task.not_before > world.now),
      ...[world.spawns[task.id] ?? 0, task.budget_usd ?? '', task.spent_usd],
    ].join(','),
  )
  const slots = world.slots.map(({ state, taskId, epoch }) => {
    const task = world.tasks.get(taskId)
    const isLive = task?.status === 'running' && task.epoch === epoch
    // Of a worker that has lost its lease only matters that it is there.
    return isLive ? `${state} ${taskId}` : `${state} late`
  })
  const links = world.links.map(({ parent, child }) => `${parent}${child}`).sort()
  const { isUp, claimed } = world.dispatcher
  const live = claimed && world.tasks.get(claimed.taskId)
  const claim = claimed ? `${claimed.taskId}${live?.epoch === claimed.epoch && live.status === 'running'}` : ''
  return [world.created, tasks.join(';'), slots.sort().join(';'), links.join(), isUp, claim].join('|')
}
