/**
 * The table of transitions: which verb may take a task from where to where, under which conditions, and what comes with it. The
 * checks of the service, the check in the database, the diagram in the README and the tests are derived from it.
 */
import type { RunOutcome, TaskStatus } from 'svc/sdk/kanban'

/** What is known of a task when a verb is tried. */
export interface Facts {
  /** A parent is neither done nor archived, and the task was not promoted in spite of it. */
  readonly parentsOpen?: boolean
  /** `create`: it is to be specified first. */
  readonly triage?: boolean
  /** `create`: it begins blocked. */
  readonly held?: boolean
  /** `claim`: its budget is spent. */
  readonly spent?: boolean
  /** `block`: it waits for another task. */
  readonly dependency?: boolean
  /** `block`: it was blocked for the same kind of reason before. */
  readonly looped?: boolean
  /** `recompute`: its moment has come. */
  readonly due?: boolean
  /** `promote`: although parents are open. */
  readonly force?: boolean
  /** This failure is the last that is allowed. */
  readonly limit?: boolean
}
export type Fact = keyof Facts
/** A fact that holds, or with `!` one that does not. */
export type Condition = Fact | `!${Fact}`

export type Verb =
  | 'create'
  | 'recompute'
  | 'wait'
  | 'claim'
  | 'start'
  | 'heartbeat'
  | 'submit'
  | 'complete'
  | 'block'
  | 'unblock'
  | 'schedule'
  | 'promote'
  | 'specify'
  | 'decompose'
  | 'reclaim'
  | 'archive'
  | 'remove'
  | FailureVerb
/** Outcomes with which a dispatcher ends a run. */
export type FailureVerb =
  | 'crashed'
  | 'timed_out'
  | 'spawn_failed'
  | 'checks_failed'
  | 'lapsed'
  | 'stale'
  | 'rate_limited'
  | 'protocol_violation'

/** One row. */
export interface Transition {
  readonly verb: Verb
  /** Undefined: there is no task yet. */
  readonly from: TaskStatus | undefined
  /** Undefined: there is no task any more. */
  readonly to: TaskStatus | undefined
  readonly when: readonly Condition[]
  /** Written in this order. */
  readonly events: readonly string[]
  /** `open`: a run begins; an outcome: the run ends with it, if there is one. */
  readonly run?: 'open' | RunOutcome
  readonly failures?: 'count' | 'reset'
  /** It is not claimed for a while. */
  readonly pauses?: boolean
}

type Extra = Pick<Transition, 'run' | 'failures' | 'pauses'>

function rows(
  verb: Verb,
  from: readonly (TaskStatus | undefined)[],
  to: TaskStatus | undefined,
  when: readonly Condition[],
  events: readonly string[],
  extra: Extra = {},
): Transition[] {
  return from.map((status) => ({ verb, from: status, to, when, events, ...extra }))
}

/** Rows of an outcome that counts as a failure: again, or blocked at the limit. */
function failing(verb: FailureVerb): Transition[] {
  const extra: Extra = { run: verb, failures: 'count', pauses: true }
  return [
    ...rows(verb, ['running'], 'ready', ['!limit'], [verb], extra),
    ...rows(verb, ['running'], 'blocked', ['limit'], [verb, 'gave_up'], extra),
  ]
}

/** For every verb, status and facts at most one row applies. */
export const TRANSITIONS: readonly Transition[] = [
  ...rows('create', [undefined], 'triage', ['triage'], ['created']),
  ...rows('create', [undefined], 'blocked', ['!triage', 'held'], ['created']),
  ...rows('create', [undefined], 'todo', ['!triage', '!held', 'parentsOpen'], ['created']),
  ...rows('create', [undefined], 'ready', ['!triage', '!held', '!parentsOpen'], ['created']),

  ...rows('recompute', ['todo'], 'ready', ['!parentsOpen'], ['promoted']),
  ...rows('recompute', ['scheduled'], 'ready', ['due', '!parentsOpen'], ['unblocked'], { failures: 'reset' }),
  ...rows('recompute', ['scheduled'], 'todo', ['due', 'parentsOpen'], ['unblocked'], { failures: 'reset' }),
  ...rows('wait', ['ready'], 'todo', ['parentsOpen'], ['waiting']),

  ...rows('claim', ['ready'], 'running', ['!parentsOpen', '!spent'], ['claimed'], { run: 'open' }),
  ...rows('claim', ['ready'], 'blocked', ['!parentsOpen', 'spent'], ['budget_exhausted']),
  ...rows('start', ['running'], 'running', [], ['spawned']),
  ...rows('heartbeat', ['running'], 'running', [], ['heartbeat']),
  ...rows('submit', ['running'], 'running', [], ['submitted']),

  ...rows('complete', ['running'], 'done', [], ['completed'], { run: 'completed' }),
  ...rows('complete', ['ready', 'blocked'], 'done', [], ['completed']),
  ...rows('block', ['running', 'ready'], 'blocked', ['!looped', '!dependency'], ['blocked'], { run: 'blocked' }),
  ...rows('block', ['running', 'ready'], 'blocked', ['!looped', 'dependency', '!parentsOpen'], ['blocked'], {
    run: 'blocked',
  }),
  ...rows('block', ['running'], 'todo', ['!looped', 'dependency', 'parentsOpen'], ['dependency_wait'], {
    run: 'blocked',
  }),
  ...rows('block', ['running', 'ready'], 'triage', ['looped'], ['block_loop_detected'], { run: 'blocked' }),
  ...rows('unblock', ['blocked', 'scheduled'], 'ready', ['!parentsOpen'], ['unblocked'], { failures: 'reset' }),
  ...rows('unblock', ['blocked', 'scheduled'], 'todo', ['parentsOpen'], ['unblocked'], { failures: 'reset' }),
  ...rows('schedule', ['todo', 'ready', 'running', 'blocked'], 'scheduled', [], ['scheduled'], { run: 'scheduled' }),
  ...rows('promote', ['todo', 'blocked'], 'ready', ['force'], ['promoted_manual'], { failures: 'reset' }),
  ...rows('promote', ['blocked'], 'ready', ['!force', '!parentsOpen'], ['promoted_manual'], {
    failures: 'reset',
  }),
  ...rows('specify', ['triage'], 'ready', ['!parentsOpen'], ['specified'], { failures: 'reset' }),
  ...rows('specify', ['triage'], 'todo', ['parentsOpen'], ['specified'], { failures: 'reset' }),
  ...rows('decompose', ['triage'], 'todo', [], ['decomposed'], { failures: 'reset' }),
  ...rows('reclaim', ['running'], 'ready', [], ['reclaimed'], { run: 'reclaimed', failures: 'reset' }),
  ...rows(
    'archive',
    ['triage', 'todo', 'scheduled', 'ready', 'running', 'blocked', 'done'],
    'archived',
    [],
    ['archived'],
    {
      run: 'archived',
    },
  ),
  ...rows('remove', ['archived'], undefined, [], []),

  ...failing('crashed'),
  ...failing('timed_out'),
  ...failing('spawn_failed'),
  ...failing('checks_failed'),
  ...failing('lapsed'),
  ...failing('stale'),
  ...rows('rate_limited', ['running'], 'ready', [], ['rate_limited'], { run: 'rate_limited', pauses: true }),
  ...rows('protocol_violation', ['running'], 'blocked', [], ['protocol_violation', 'gave_up'], {
    run: 'protocol_violation',
    failures: 'count',
  }),
]

/** Whether the conditions of a row hold; a fact that is not given does not. */
export function applies({ when }: Transition, facts: Facts): boolean {
  return when.every((condition) =>
    condition.startsWith('!') ? facts[condition.slice(1) as Fact] !== true : facts[condition as Fact] === true,
  )
}

/** The row for a verb, or undefined where it is refused. */
export function findTransition(
  table: readonly Transition[],
  verb: Verb,
  from: TaskStatus | undefined,
  facts: Facts,
): Transition | undefined {
  return table.find((row) => row.verb === verb && row.from === from && applies(row, facts))
}

/** From where a verb is possible at all, for messages. */
export function listSources(table: readonly Transition[], verb: Verb): TaskStatus[] {
  return [...new Set(table.flatMap((row) => (row.verb === verb && row.from !== undefined ? [row.from] : [])))]
}

/** Which verbs a status allows, for messages. */
export function listVerbs(table: readonly Transition[], from: TaskStatus): Verb[] {
  return [...new Set(table.flatMap((row) => (row.from === from ? [row.verb] : [])))]
}

/** Pairs of statuses between which a task may go, the empty one for none: what the database checks. */
export function listPairs(table: readonly Transition[]): { readonly from: string; readonly to: string }[] {
  const pairs = new Set(
    table.flatMap(({ from, to }) => (to === undefined || from === to ? [] : [`${from ?? ''}>${to}`])),
  )
  return [...pairs].sort().map((pair) => {
    const [from = '', to = ''] = pair.split('>')
    return { from, to }
  })
}

/** The table as a diagram of Mermaid, for the README. */
export function drawDiagram(table: readonly Transition[]): string {
  const verbs = new Map<string, Set<string>>()
  for (const { from, to, verb } of table) {
    if (from === to) continue
    const arrow = `${from ?? '[*]'} --> ${to ?? '[*]'}`
    verbs.set(arrow, (verbs.get(arrow) ?? new Set()).add(verb))
  }
  return ['stateDiagram-v2', ...[...verbs].map(([arrow, names]) => `  ${arrow}: ${[...names].join(', ')}`)].join('\n')
}
