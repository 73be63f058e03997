/** Error codes of rehearsals. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  REHEARSAL_PLATFORM: 'There is no stand-in for a platform of this name. The message lists those there are.',
  REHEARSAL_FAULT: 'The stand-in of the platform has no fault of this name. The message lists those it has.',
} satisfies ErrorMessages
