/** Tasks that need a person. */
import type { Boards, TaskCard, TaskFinding } from 'svc/sdk/kanban'

const DAY_MS = 86_400_000
const STRANDED_MS = 1_800_000
const MAX_TASKS = 20_000

export async function diagnose(
  boards: Pick<Boards, 'stats' | 'list' | 'lapsed' | 'get'>,
  board: string | undefined,
): Promise<readonly TaskFinding[]> {
  const { now } = await boards.stats(board)
  const { tasks } = await boards.list({ ...(board !== undefined && { board }), limit: MAX_TASKS })
  const findings = tasks.flatMap((task) => judge(task, now))
  for (const { taskId, holder } of await boards.lapsed(board)) {
    const task = tasks.find(({ id }) => id === taskId) ?? (await boards.get(taskId))
    const detail = `The lease of ${holder} is over, and no dispatcher has taken it back.`
    findings.push({ kind: 'lease_over', severity: 'error', task, detail, fix: 'svc kanban dispatch' })
  }
  return findings
}

function judge(task: TaskCard, now: number): TaskFinding[] {
  const { id, status, failures, updatedAt, isVerified } = task
  const about = (
    kind: TaskFinding['kind'],
    severity: TaskFinding['severity'],
    detail: string,
    fix: string,
  ): TaskFinding[] => [{ kind, severity, task, detail, fix }]
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
