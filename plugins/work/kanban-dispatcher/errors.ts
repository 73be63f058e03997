/** Error codes of the plugin `kanban-dispatcher`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  KANBAN_WORKSPACE: 'The folder that a task is to be worked at in cannot be used or made. The message says why.',
  KANBAN_CHECK_HTTP:
    'A check asks an address, and no plugin decides which addresses may be asked. Switch `address-guard` on.',
  KANBAN_NOT_DISPATCHING:
    'The process that was asked to dispatch does so no longer; another one has taken over. Ask again.',
} satisfies ErrorMessages
