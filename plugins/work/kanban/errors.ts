import type { ErrorMessages } from 'svc/sdk'

export default {
  KANBAN_TASK_UNKNOWN: 'There is no task with this id. `svc kanban list --archived` shows all of a board.',
  KANBAN_BOARD_UNKNOWN: 'There is no board with this name. `svc kanban boards list` shows them.',
  KANBAN_INPUT: 'Something that was given is missing, too long or of another kind; the message names it.',
  KANBAN_REFUSED: 'The status of the task does not allow this; the message says what it allows.',
  KANBAN_GRAPH: 'Links between tasks would form a circle, or name a task that does not exist. Nothing was written.',
  KANBAN_LEASE_LOST:
    'The task is no longer with this worker: its lease was taken over, or the run has ended. Stop working at it.',
  KANBAN_CHECKS_OPEN: 'The task has checks, and there is no evidence that all of them are met. Nothing was changed.',
  KANBAN_UNKNOWN_TASKS:
    'A completion names created tasks that this task did not create. Name only those that it created.',
} satisfies ErrorMessages
