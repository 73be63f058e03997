/** Error codes of the plugin `dashboard-login`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  LOGIN_REFUSED: 'The name or the password is wrong, or this person may not sign in. Check both, or ask who runs svc.',
  LOGIN_BUSY: 'Too many people sign in at this moment. Try again.',
  LOGIN_NOT_NEEDED: 'This dashboard is for this machine only: no person signs in to it.',
  LOGIN_PROVIDER_UNKNOWN: 'There is no such way to sign in. `GET /api/auth/providers` lists them.',
  LOGIN_STATE:
    'The answer of the OpenID provider belongs to no login of this browser, or came a second time. Sign in again.',
  LOGIN_CANCELLED: 'The login at the OpenID provider was cancelled there. Sign in again.',
  LOGIN_OIDC_UNREACHABLE: 'The OpenID provider does not answer. Try again, or sign in with a password.',
  LOGIN_OIDC_FAILED:
    'The OpenID provider answered with an error, or with what cannot be trusted. The audit log has its words.',
  LOGIN_OIDC_CLOCK: 'The clocks of this machine and of the OpenID provider differ too much. Set both.',
  LOGIN_NOT_ALLOWED:
    'The OpenID provider knows this person, and `dashboard.login.oidc.allow` does not. Add the person there.',
  LOGIN_PASSWORD_WEAK: 'The password is too short. Take 12 characters or more, such as some words.',
  LOGIN_PASSWORD_INPUT:
    'The password was not given, or differs the second time. Type it, or give it on standard input.',
  LOGIN_PERSON_UNKNOWN: 'No such person has a password. `svc dashboard logins` lists them.',
} satisfies ErrorMessages
