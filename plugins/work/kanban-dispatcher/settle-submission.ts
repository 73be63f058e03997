/** A worker said that it is done: its checks are looked at here, outside of it, and decide whether it is. */
import type { TaskRun } from 'svc/sdk/kanban'
import type { WorkerRecord } from './records.ts'
import { type DispatchState, endRun, isLost } from './state.ts'
import { verify } from './verify.ts'
import { openWorkspace } from './workspace.ts'

export async function settleSubmission(
  state: DispatchState,
  run: TaskRun,
  { record, failureLimit }: { readonly record: WorkerRecord | undefined; readonly failureLimit: number },
): Promise<void> {
  const { deps } = state
  const boards = deps.boards()
  const task = await boards.get(run.taskId)
  const workspace =
    record?.workspace ??
    (await openWorkspace(task, await boards.board(task.board), { folder: deps.folders.workspaces, git: deps.git }))
  try {
    const lease = await boards.leaseOf(run)
    const beforeEach = async () => void (await boards.heartbeat(lease))
    const evidence = await verify(task, workspace, { ...deps.checks(), beforeEach }, deps.signal)
    const failed = evidence.filter(({ isMet }) => !isMet)
    if (failed.length === 0) {
      await boards.complete(task.id, { ...run.submission, by: task.assignee ?? 'worker', lease, evidence })
      state.late.push({ task: task.id, outcome: 'completed' })
      deps.log.info('the checks of a task are met', { task: task.id, checks: evidence.length })
      return
    }
    const error = `${failed.length} of ${evidence.length} checks are not met: ${failed.map(({ detail }) => detail).join('; ')}`
    await endRun(state, run, { outcome: 'checks_failed', error, evidence, failureLimit }, { ended: state.late })
  } catch (error) {
    if (!isLost(error)) throw error
  }
}
