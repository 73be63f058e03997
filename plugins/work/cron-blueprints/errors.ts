/** Error codes of the plugin `cron-blueprints`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BLUEPRINT_INVALID:
    'The blueprint in the SKILL.md of a skill cannot be used; the message says why. The skill can be used without it.',
  BLUEPRINT_UNKNOWN: 'There is no blueprint of this name. `svc cron blueprints` lists them.',
  BLUEPRINT_VALUE: 'A value of the blueprint is missing or cannot be used; the message names it and says what can.',
  SUGGESTION_DECIDED:
    'The suggestion was accepted or dismissed before. `svc cron suggestions` shows those that are pending.',
  SUGGESTION_UNKNOWN: 'There is no suggestion of this number. `svc cron suggestions` shows those that are pending.',
} satisfies ErrorMessages
