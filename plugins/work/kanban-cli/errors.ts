import type { ErrorMessages } from 'svc/sdk'

export default {
  KANBAN_FILE: 'The file that is to be kept with a task cannot be read, or is too large. 25 MiB is the most.',
} satisfies ErrorMessages
