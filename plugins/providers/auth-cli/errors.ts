/** Codes of auth-cli. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  AUTH_FLOW: 'This way to sign in is not there, or did not work. The message names those there are.',
  AUTH_KEY_UNCLEAR: 'It is not clear which key is meant. Name its id or its label, as `svc auth list` shows them.',
  AUTH_NOT_NEEDED: 'This provider asks for no key.',
  AUTH_PROVIDER_UNKNOWN: 'No plugin contributes this model provider. `svc auth status` has all.',
} satisfies ErrorMessages
