/** Codes of auth-attempts. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SIGN_IN_NOT_ASKED: 'The sign-in does not wait for a code. Look at its state, or begin again.',
  SIGN_IN_TOO_MANY: 'Too many sign-ins are under way. Finish or cancel one.',
  SIGN_IN_UNKNOWN: 'No plugin offers this way to sign in. `svc auth status` lists the providers.',
} satisfies ErrorMessages
