/** Error codes of confinement. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CONFINEMENT_FAILED:
    'The program could not be confined. The message holds the reason; `terminal.confine` says what happens to commands then.',
  CONFINEMENT_NEED:
    'A need is not one, or names something that is never granted, such as the home of svc or a location of secrets.',
} satisfies ErrorMessages
