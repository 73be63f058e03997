/** Errors of the loader, by their codes. */
import type { ErrorMessages } from '../sdk/errors.ts'

/** Codes that the loader throws or reports. */
export const loaderErrors = {
  CLI_USAGE: 'A command was typed in a way it does not know. The message names the nearest; add --help for the rest.',
  CONSENT_CHANGED: 'The code of a plugin changed between being shown and being agreed to. Look at it again.',
  CONSENT_CONTENT:
    'A plugin folder cannot be covered by a consent: too large, or a link leads out of it. The message says which.',
  CONSENT_UNREADABLE:
    'The record of what you agreed to is damaged, so no foreign plugin runs. The message has the file.',
  PLUGIN_MANIFEST: 'A plugin.json is missing, unreadable or not valid. The message has the file and the field.',
} satisfies ErrorMessages
