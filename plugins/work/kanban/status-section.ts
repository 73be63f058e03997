/** Tasks of the current board, for `svc status`. */
import { type Boards, TASK_STATUSES } from 'svc/sdk/kanban'
import type { StatusLine } from 'svc/sdk/operations'

/** Nothing while the board is empty. */
export async function readBoardStatus(boards: Pick<Boards, 'stats'>): Promise<readonly StatusLine[]> {
  const { byStatus } = await boards.stats()
  const parts = TASK_STATUSES.filter((status) => byStatus[status] > 0).map((status) => `${status}: ${byStatus[status]}`)
  if (parts.length === 0) return []
  const line = { label: 'Tasks', text: parts.join(', ') }
  return [byStatus.blocked > 0 ? { ...line, state: 'warning', fix: 'svc kanban list --status blocked' } : line]
}
