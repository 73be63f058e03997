/** Error codes of the plugin `skill-hub`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SKILL_REVIEW: 'No model could review a skill; the message says why. Without `--deep` no model is asked.',
  SKILL_SOURCE:
    'The source of a skill is not one that svc knows, or it has no such skill. The message names the forms that there are.',
  SKILL_SOURCE_FAILED: 'A hub or a repository could not be asked. Try again later, or install the skill from a folder.',
  SKILL_PACKAGE:
    'What a source delivered is no skill, or leads out of its folder, or is too large. Nothing of it was kept.',
  SKILL_BLOCKED:
    'The scan found signs of harm, so the skill was not installed. The findings are printed before the message.',
  SKILL_EXISTS: 'There is a skill of that name already. Update it, or remove it first.',
  SKILL_NOT_INSTALLED:
    'No skill of that name was installed from elsewhere. `svc skills list --source hub` shows those that were.',
  SKILL_HUB_DISK:
    'The folder of skills cannot be written: its disk is full or read-only, or it belongs to someone else. Nothing was changed.',
  SKILL_EDITED:
    'The skill was edited while a newer version was shown, so it was not replaced. `svc skills check --diff` shows both.',
  SKILL_HUB_BUSY: 'Another process is installing or removing a skill. Wait for it.',
} satisfies ErrorMessages
