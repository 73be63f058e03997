/** A graph of tasks, and a model that works at them as a careful person would: what may have happened is looked at before it is repeated. */
import type { Boards, Task } from 'svc/sdk/kanban'
import type { Reply } from '../../../support/model-replies.ts'
import type { Asked } from './scene.ts'

/** What is to be done at one task, in this order. `effect` and `comment` are calls of tools that are marked `once`. */
type Step = { readonly kind: 'effect' | 'comment' | 'create' | 'complete' | 'block'; readonly name: string }

export interface PlannedTask {
  readonly title: string
  readonly steps: readonly Step[]
  /** Indices of tasks before it. */
  readonly parents: readonly number[]
  readonly hasCheck: boolean
}

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Every seventh task, if nothing waits for it, ends with a question to a person; every fourth has a check. */
export function planGraph(count: number, random: () => number): readonly PlannedTask[] {
  const wide = Math.max(2, Math.ceil(count / 8))
  const parents = Array.from({ length: count }, (_, at) => {
    const known = Array.from({ length: Math.min(at, wide * 2) }, (_none, back) => at - 1 - back)
    return at < wide ? [] : known.filter(() => random() < 1.5 / known.length).slice(0, 3)
  })
  const needed = new Set(parents.flat())
  return parents.map((before, at) => {
    const asks = at % 7 === 6 && !needed.has(at)
    const middle: Step[] = [
      { kind: 'effect', name: 'a' },
      ...(at % 3 === 0 ? [{ kind: 'comment', name: 'c' } as const] : []),
      ...(at % 10 === 5 ? [{ kind: 'create', name: 'n' } as const] : []),
      ...(at % 2 === 0 ? [{ kind: 'effect', name: 'b' } as const] : []),
    ]
    return {
      title: `task ${at}`,
      steps: [...middle, { kind: asks ? 'block' : 'complete', name: 'end' }],
      parents: before,
      hasCheck: !asks && at % 4 === 1,
    }
  })
}

export async function createGraph(boards: Boards, plan: readonly PlannedTask[]): Promise<readonly Task[]> {
  const tasks: Task[] = []
  for (const { title, parents, hasCheck } of plan) {
    const { task } = await boards.create({
      ...{ title, by: 'test', assignee: 'default', parents: parents.map((at) => (tasks[at] as Task).id) },
      ...(hasCheck && { checks: [{ type: 'file', path: 'effects', contains: 'mark a\n' }] }),
    })
    tasks.push(task)
  }
  return tasks
}

/** What the model does next. Tasks that it creates itself are completed at once. */
export function answer(plan: ReadonlyMap<string, PlannedTask>, asked: Asked): Reply {
  const steps = plan.get(asked.title)?.steps ?? [{ kind: 'complete', name: 'end' } as const]
  for (const step of steps) {
    const next = takeStep(step, asked)
    if (next) return next
  }
  return 'Done.'
}

/** Undefined: it has been done. */
function takeStep(step: Step, asked: Asked): Reply | undefined {
  const { tool, input } = CALLS[step.kind](step.name)
  const at = asked.called.findLastIndex(isCall({ tool, input }))
  const made = asked.called[at]
  if (!made) return request(tool, input)
  if (!isUnclear(made.result)) return step.kind === 'complete' && isCalledBack(asked) ? request(tool, input) : undefined
  const look = LOOKS[step.kind]
  if (!look) return request(tool, input)
  const seen = asked.called.slice(at + 1).findLast((each) => isCall(look)(each) && !isUnclear(each.result))
  if (!seen) return request(look.tool, look.input)
  return seen.result.includes(look.mark(step.name)) ? undefined : request(tool, input)
}

function isCall({ tool, input }: { readonly tool: string; readonly input: Record<string, unknown> }) {
  const text = JSON.stringify(input)
  return ({ name, input: given }: Asked['called'][number]) => name === tool && JSON.stringify(given) === text
}

/** The calls of the steps. */
const CALLS: Record<
  Step['kind'],
  (name: string) => { readonly tool: string; readonly input: Record<string, unknown> }
> = {
  effect: (name) => ({ tool: 'terminal', input: { command: `echo mark ${name} >> effects` } }),
  comment: (name) => ({ tool: 'kanban_comment', input: { body: `remark ${name}` } }),
  create: (name) => ({ tool: 'kanban_create', input: { title: `created ${name}` } }),
  complete: () => ({ tool: 'kanban_complete', input: { summary: 'all of it' } }),
  block: () => ({ tool: 'kanban_block', input: { reason: 'which colour?', kind: 'needs_input' } }),
}

/** How it is found out whether a step has happened that may not be repeated. */
const LOOKS: Partial<
  Record<Step['kind'], { readonly tool: string; readonly input: Record<string, unknown>; mark(name: string): string }>
> = {
  effect: { tool: 'terminal', input: { command: 'cat effects' }, mark: (name) => `mark ${name}` },
  comment: { tool: 'kanban_show', input: {}, mark: (name) => `remark ${name}` },
}

/** Not run, refused because it had begun, or cut off: the words are for the model, so is this script. */
function isUnclear(result: string): boolean {
  return /svc stopped|There is no result|Not run/.test(result)
}

/** A later worker was told that the task is still open. */
function isCalledBack({ last }: Asked): boolean {
  return last.includes('You resume kanban task')
}

let calls = 0

function request(tool: string, input: Record<string, unknown>): Reply {
  return { calls: [{ id: `call_${++calls}`, name: tool, arguments: JSON.stringify(input) }] }
}
