/** Tasks that need a person. */
import type { TaskCard } from 'svc/sdk/kanban'
import { formatColumns, hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { getText } from './values.ts'

const DAY_MS = 86_400_000
const STRANDED_MS = 1_800_000

export interface Finding {
  readonly kind: 'repeated_failures' | 'stuck_in_blocked' | 'stranded_in_ready' | 'lease_over' | 'unverified'
  readonly severity: 'warning' | 'error'
  readonly taskId: string
  readonly detail: string
  /** What to do, as a command. */
  readonly fix: string
}

export const doctor: Action = async (boards, input, io) => {
  const name = getText(input, 'board')
  const query = name === undefined ? {} : { board: name }
  const { now } = await boards.stats(name)
  const { tasks } = await boards.list({ ...query, limit: 20_000 })
  const lapsed = await boards.lapsed(name)
  const findings: Finding[] = [
    ...tasks.flatMap((task) => judge(task, now)),
    ...lapsed.map(
      ({ taskId, holder }): Finding => ({
        ...{ kind: 'lease_over', severity: 'error', taskId },
        detail: `The lease of ${holder} is over, and no dispatcher has taken it back.`,
        fix: 'svc kanban dispatch',
      }),
    ),
  ]
  if (hasFlag(input, 'json')) printJson(io, { findings })
  else if (findings.length === 0) io.out('Nothing needs a person.\n')
  else
    for (const line of formatColumns(findings.map((one) => [one.severity, one.taskId, one.kind, one.detail, one.fix])))
      io.out(`${line}\n`)
  return findings.length > 0 ? 1 : 0
}

function judge(task: TaskCard, now: number): Finding[] {
  const { id, status, failures, updatedAt, isVerified } = task
  const about = (kind: Finding['kind'], severity: Finding['severity'], detail: string, fix: string): Finding[] => [
    { kind, severity, taskId: id, detail, fix },
  ]
  if (status === 'blocked' && failures > 0)
    return about(
      'repeated_failures',
      'error',
      `It failed ${failures}x: ${task.lastError ?? ''}`,
      `svc kanban unblock ${id}`,
    )
  if (status === 'blocked' && now - updatedAt > DAY_MS)
    return about(
      'stuck_in_blocked',
      'warning',
      `Blocked for over a day: ${task.blockReason ?? ''}`,
      `svc kanban unblock ${id}`,
    )
  if (status === 'ready' && now - updatedAt > STRANDED_MS && (task.notBefore ?? 0) <= now)
    return about('stranded_in_ready', 'warning', 'Ready for over half an hour.', 'svc kanban dispatch')
  if (status === 'done' && isVerified === false)
    return about('unverified', 'warning', 'Completed without evidence for its checks.', `svc kanban show ${id}`)
  return []
}
