/** Error codes of the texts. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  LANGUAGE_MESSAGE: 'A text is not a message as ICU has them. The one it translates is shown; mend the translation.',
  LANGUAGE_UNKNOWN: '`display.language` names no language that svc has, so English is shown. `/language` lists them.',
} satisfies ErrorMessages
