import type { ErrorMessages } from 'svc/sdk'

export default {
  KANBAN_NO_CLIENT: 'No model is connected that could plan a task. Connect one with `svc model`.',
} satisfies ErrorMessages
