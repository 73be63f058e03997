/** Error codes of the plugin `kanban-worker`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  KANBAN_NO_CLAIM:
    'A worker was started without a task that was claimed for it. Workers are started by the dispatcher: run `svc kanban dispatch`.',
  KANBAN_NOT_YOURS: 'A worker may look at and change its own task and those next to it only; the message names them.',
  KANBAN_ARTIFACT: 'A file that is to be kept with a task is not there, too large, or not in the workspace.',
  KANBAN_NO_BUDGETS: 'A task or a board has a budget, and no plugin keeps it, so nothing is done. Switch `budgets` on.',
} satisfies ErrorMessages
