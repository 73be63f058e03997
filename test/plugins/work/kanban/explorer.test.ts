/** Every state that tasks can come to, over the real moves and the real table. */
import { TASK_STATUSES } from 'svc/sdk/kanban'
import { expect, test } from 'vitest'
import * as graph from '../../../../plugins/work/kanban/graph-moves.ts'
import {
  applies,
  type Fact,
  type Facts,
  TRANSITIONS,
  type Transition,
} from '../../../../plugins/work/kanban/transitions.ts'
import { type ExploreOptions, explore } from '../../../support/kanban/explore.ts'
import { read } from '../../../support/repository.ts'
import { isToday } from '../../../support/today.ts'

/** Two tasks and a third that waits for both; two workers; a dispatcher that dies; a clock. */
const crowd: ExploreOptions = {
  ...{ table: TRANSITIONS, workers: 2, hasPeople: false, maxTasks: 3, checksLiveness: true },
  async prepare(_, deps) {
    const create = async (parents: readonly string[]) =>
      (await graph.create(deps, 'b', { title: 'x', by: 'p', assignee: 'a', parents })).task.id
    await create([await create([]), await create([])])
  },
}
/** A task that people do with whatever they can, and another that it may wait for. */
const alone: ExploreOptions = {
  ...{ table: TRANSITIONS, workers: 1, hasPeople: true, maxTasks: 2, subject: 't_b', maxDepth: 6 },
  prepare: (_, deps) => graph.create(deps, 'b', { title: 'x', by: 'p', assignee: 'a' }),
}

/** Every step that such a world may take, as it was looked at and found right. */
const edges = read('test/plugins/work/kanban/edges.txt').trimEnd().split('\n')

test('three tasks, two workers, a dispatcher that dies and a clock: every state keeps the promises and comes to an end', async () => {
  const { states, problems } = await explore(crowd)
  expect(problems).toEqual([])
  expect(states).toBeGreaterThan(10_000)
}, 600_000)

test('whatever people do with a task keeps the promises, and does what was found right', async () => {
  const found = await explore(alone)
  expect(found.problems).toEqual([])
  expect(found.edges).toEqual(edges)
})

/** The table with another row, or without it. */
function* changeRow(row: Transition): Generator<readonly [string, Transition | undefined]> {
  yield ['is gone', undefined]
  const others = TASK_STATUSES.filter((status) => status !== row.to && status !== row.from)
  yield ['leads elsewhere', { ...row, to: others[TRANSITIONS.indexOf(row) % others.length] }]
  if (row.to !== undefined) yield ['tells something else', { ...row, events: [...row.events, 'x'] }]
  if (row.from === 'running' && row.run)
    yield ['ends otherwise', { ...row, run: row.run === 'stale' ? 'lapsed' : 'stale' }]
  if (row.failures === 'count') yield ['forgives', { ...row, failures: 'reset' }]
  if (row.run === 'open') yield ['begins no run', { ...row, run: 'stale' }]
}

/** All of them take minutes: see `SVC_FAULTS`. */
const PARTS = 32

test('the explorer finds each row of the table that is gone or changed', async () => {
  const unseen: string[] = []
  for (const [at, row] of TRANSITIONS.entries()) {
    if (!isToday(at, PARTS)) continue
    for (const [change, other] of changeRow(row)) {
      const table = TRANSITIONS.flatMap((one) => (one !== row ? [one] : other ? [other] : []))
      const found = await explore({ ...alone, table, edges, maxProblems: 1 })
      const isSeen = found.problems.length > 0 || found.edges.join('\n') !== edges.join('\n')
      if (!isSeen) unseen.push(`${row.verb} ${row.from} ${row.to} ${row.when}: ${change}`)
    }
  }
  expect(unseen).toEqual([])
}, 600_000)

test('for every verb, status and facts at most one row applies', () => {
  const twice: string[] = []
  for (const verb of new Set(TRANSITIONS.map((row) => row.verb)))
    for (const from of [undefined, ...TASK_STATUSES]) {
      const rows = TRANSITIONS.filter((row) => row.verb === verb && row.from === from)
      const names = [...new Set(rows.flatMap(({ when }) => when.map((one) => one.replace('!', '') as Fact)))]
      for (let bits = 0; bits < 2 ** names.length; bits++) {
        const facts: Facts = Object.fromEntries(names.map((name, at) => [name, (bits & (1 << at)) !== 0]))
        if (rows.filter((row) => applies(row, facts)).length > 1) twice.push(`${verb} ${from} ${JSON.stringify(facts)}`)
      }
    }
  expect(twice).toEqual([])
})
