/** Error codes of the plugin `skills`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SKILL_CHANGED: 'A skill was changed while a person edited it. Read it again; nothing was overwritten.',
  SKILL_DUPLICATE:
    'A skill that is to be created has the name of another one, or is nearly the same. Change that one instead.',
  SKILL_INVALID: 'A folder or a file of a skill cannot be used; the message says what is wrong with it.',
  SKILL_NOT_AGREED:
    'The files of a skill of a project are not those that a person agreed to. `svc skills trust` shows them and asks.',
  SKILL_NOT_FOUND: 'There is no skill of that name, or no such file in it. `svc skills list` shows the skills.',
  SKILL_REFUSED: 'A skill was not created or changed; the message says why.',
} satisfies ErrorMessages
