import type { ErrorMessages } from 'svc/sdk'

export default {
  SKILL_SEEDS_SOURCE: 'The built-in skills of this installation are missing or damaged. Install svc again.',
  SKILL_SEEDS_WRITE:
    'The folder of skills in the home cannot be read or written. The message names the path and the reason; nothing was left half done.',
  SKILL_SEEDS_UNKNOWN: 'No built-in skill has this name. `svc skills list --source builtin` lists them.',
  SKILL_SEEDS_BUSY: 'Another process changes the skills of this home. Try again when it is done.',
} satisfies ErrorMessages
