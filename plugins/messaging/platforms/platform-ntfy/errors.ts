/** Error codes of the platform ntfy. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  NTFY_UNAUTHORIZED:
    'The ntfy server does not accept NTFY_TOKEN. Make a new access token in the ntfy web app and set it, or remove it for an open topic.',
  NTFY_FORBIDDEN:
    'The ntfy account may not read or write the topic. Grant it access on the server, or name another topic.',
  NTFY_TOPIC_NOT_FOUND:
    'There is no such topic at the address. Check NTFY_SERVER_URL and NTFY_TOPIC, then resume the platform.',
  NTFY_TOPIC: 'A topic has 1 to 64 letters, digits, underscores and hyphens. Set NTFY_TOPIC to such a name.',
  NTFY_UNREACHABLE: 'The ntfy server could not be reached, or broke off. It is asked again automatically.',
  NTFY_STRANGE: 'What answered is no ntfy server, or hides it. Check NTFY_SERVER_URL and proxies before it.',
  NTFY_FAILED: 'The ntfy server did not accept a message, or it is unknown whether it did: see the reason.',
  NTFY_CLOSED: 'The platform is not connected, so nothing was sent. It is sent once the platform is connected.',
  NTFY_LENGTH: 'A message of ntfy has 1 to 4,096 bytes of text. Send it in pieces.',
  NTFY_FORGETFUL:
    'The ntfy server cannot tell whether a message was sent: it is older than 2.16, keeps no messages, or does not allow reading them.',
} satisfies ErrorMessages
