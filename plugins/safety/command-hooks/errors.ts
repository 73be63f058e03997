import type { ErrorMessages } from 'svc/sdk'

export default {
  HOOKS_FILE:
    'The file of hooks of a project cannot be used, so none of its hooks runs. The message says what to correct.',
  HOOKS_NO_PROJECT: 'No file .svc/hooks.yaml belongs to this folder. Change to the project, or create the file.',
  HOOKS_CHANGED: 'The hooks of the project changed while the question was open. Read them again, then trust them.',
  HOOKS_UNKNOWN: 'There is no such event, or no hook of it. `svc hooks list` shows all.',
  HOOKS_NOT_CONFINED:
    'This machine cannot confine commands, and hooks.confine is "required", so the hook did not run. Install what `svc doctor` names, or set it to auto.',
  HOOKS_SAMPLE: 'The sample event is not a JSON object.',
} satisfies ErrorMessages
