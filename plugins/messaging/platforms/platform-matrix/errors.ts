/** Error codes of the platform Matrix. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MATRIX_CLOSED: 'Something was to be sent while Matrix was not connected. It is tried again once it is.',
  MATRIX_FAILED:
    'The homeserver could not be asked, refused, or answered something strange: see the reason in the message.',
  MATRIX_OTHER_ACCOUNT:
    'The access token belongs to another account than MATRIX_USER_ID. Set the token of that account, or remove MATRIX_USER_ID.',
  MATRIX_UNAUTHORIZED:
    'The homeserver does not accept the access token or the password. Set MATRIX_ACCESS_TOKEN, or MATRIX_USER_ID and MATRIX_PASSWORD, to valid ones.',
} satisfies ErrorMessages
