import type { ErrorMessages } from 'svc/sdk'

export default {
  KANBAN_NO_CLIENT: 'No model is connected that could plan a task. Connect one with `svc model`.',
  KANBAN_PROFILE_UNKNOWN: 'There is no profile with this name. `svc profile list` shows them.',
  KANBAN_SETTINGS: 'The settings cannot be written, because no plugin that writes them runs. Switch `config` on.',
} satisfies ErrorMessages
