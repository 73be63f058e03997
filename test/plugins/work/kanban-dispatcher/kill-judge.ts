/** What must be true of a graph of tasks at which dispatchers and workers were killed. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Task, TaskDetails, TaskRun } from 'svc/sdk/kanban'
import type { PlannedTask } from './kill-graph.ts'
import type { Scene } from './scene.ts'

export interface Judged {
  readonly plan: readonly PlannedTask[]
  /** In the order of the plan. */
  readonly tasks: readonly Task[]
  /** Epochs of runs whose worker was killed, by task. */
  readonly hit: ReadonlyMap<string, ReadonlySet<number>>
  readonly failureLimit: number
}

export interface Verdict {
  readonly done: number
  readonly blocked: number
  /** For a task that is blocked. */
  readonly waiting: number
  readonly problems: readonly string[]
}

export async function judge(scene: Scene, judged: Judged): Promise<Verdict> {
  const { plan, tasks } = judged
  const all = (await scene.boards.list({ limit: 1000, archived: true })).tasks
  const created = all.filter(({ title }) => title.startsWith('created'))
  const problems: string[] = []
  const ends: Task['status'][] = []
  for (const [at, { id }] of [...tasks, ...created].entries()) {
    const details = await scene.boards.details(id)
    ends.push(details.task.status)
    const found = judgeTask(scene, details, { planned: plan[at], judged })
    problems.push(...found.map((text) => `${id} (${details.task.title}): ${text}`))
  }
  problems.push(...judgeCreated(created.length, judged, all))
  const count = (status: Task['status']) => ends.filter((end) => end === status).length
  return { done: count('done'), blocked: count('blocked'), waiting: count('todo'), problems }
}

interface Expected {
  /** Undefined: a worker has created it. */
  readonly planned: PlannedTask | undefined
  readonly judged: Judged
}

function judgeTask(scene: Scene, details: TaskDetails, { planned, judged }: Expected): string[] {
  const { task, runs } = details
  return [
    ...judgeEnd(details, planned, judged.failureLimit),
    ...runs.flatMap((run, at) => judgeRun(run, runs[at + 1], judged.hit.get(task.id)?.has(run.epoch) === true)),
    ...(planned ? judgeEffects(scene, details, planned) : []),
  ]
}

/** Whether it ended as its model wanted, or for a reason that is true. */
function judgeEnd(details: TaskDetails, planned: PlannedTask | undefined, failureLimit: number): string[] {
  const { task, runs, parents } = details
  const asks = planned?.steps.some(({ kind }) => kind === 'block') === true
  if (task.status === 'done') return asks ? ['it is done, but its worker asked a question'] : []
  if (task.status === 'blocked')
    return isTrue(task, runs, { asks, failureLimit }) ? [] : [`it is blocked: ${task.blockReason}`]
  if (task.status !== 'todo') return [`it is ${task.status}`]
  const waits = parents.some(({ status }) => status === 'blocked' || status === 'todo')
  return [
    ...(waits ? [] : ['it waits for nothing']),
    ...(runs.length > 0 ? ['it ran before its parents were done'] : []),
  ]
}

function isTrue(
  { blockKind, blockReason, failures }: Task,
  runs: readonly TaskRun[],
  { asks, failureLimit }: { readonly asks: boolean; readonly failureLimit: number },
): boolean {
  if (blockKind === 'needs_input') return asks && blockReason === 'which colour?'
  const failed = runs.filter(({ outcome }) => outcome === 'crashed' || outcome === 'lapsed')
  return failures === failureLimit && failed.length === failureLimit && blockReason === failed.at(-1)?.error
}

/** A run that failed was killed, or began under a dispatcher that was; and it was over before the next. */
function judgeRun(run: TaskRun, next: TaskRun | undefined, wasHit: boolean): string[] {
  const { outcome, error = '', epoch, endedAt } = run
  const overlaps = next !== undefined && (endedAt ?? Number.POSITIVE_INFINITY) > next.startedAt
  const isRight: Partial<Record<NonNullable<typeof outcome>, boolean>> = {
    completed: true,
    blocked: true,
    crashed: wasHit && /SIGKILL|left no report/.test(error),
    lapsed: /dispatcher ended/.test(error),
  }
  return [
    ...(outcome !== undefined && isRight[outcome] ? [] : [`run ${epoch} is ${outcome ?? 'open'}: ${error}`]),
    ...(overlaps ? [`run ${epoch} overlaps the next`] : []),
  ]
}

/** Calls of tools that are marked `once` happened once where the worker came to its end, and never twice. */
function judgeEffects(scene: Scene, { task, comments }: TaskDetails, { steps }: PlannedTask): string[] {
  const file = join(scene.home, 'workspace', 'kanban', 'default', task.id, 'effects')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const isOver = task.status === 'done' || task.blockKind === 'needs_input'
  const made = [...lines, ...comments.map(({ body }) => body)]
  return steps.flatMap(({ kind, name }) => {
    if (kind !== 'effect' && kind !== 'comment') return []
    const count = made.filter((line) => line === `${kind === 'effect' ? 'mark' : 'remark'} ${name}`).length
    return count === 1 || (count === 0 && !isOver) ? [] : [`${kind} ${name} happened ${count} times`]
  })
}

/** One for each task that creates one and is done; at most one for each other. */
function judgeCreated(count: number, { plan, tasks }: Judged, all: readonly Pick<Task, 'id' | 'status'>[]): string[] {
  const makers = tasks.filter((_, at) => plan[at]?.steps.some(({ kind }) => kind === 'create'))
  const isDone = new Set(all.flatMap(({ id, status }) => (status === 'done' ? [id] : [])))
  const least = makers.filter(({ id }) => isDone.has(id)).length
  return count >= least && count <= makers.length
    ? []
    : [`workers created ${count} tasks, not ${least} to ${makers.length}`]
}
