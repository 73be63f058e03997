/** Codes of credentials. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CREDENTIALS_DEAD: 'The service has revoked every key of this provider. Add a new one with `svc auth add <provider>`.',
  CREDENTIALS_LOCKED: 'Another process keeps auth.json locked. Try again, or remove the lock that the message names.',
  CREDENTIALS_PLACEHOLDER: 'What was given as a key is empty, too short or an example text. Give the real key.',
  CREDENTIALS_RESTING:
    'The service has refused every key of this provider for now. Wait, add another key, or type `svc auth reset <provider>`.',
  CREDENTIALS_UNKNOWN: 'No key of the pool has this id. `svc auth list` has all.',
  CREDENTIALS_UNREADABLE:
    'The file auth.json cannot be read or is no such file. Mend or remove it; it is never overwritten.',
  CREDENTIALS_WRITE_FAILED:
    'The file auth.json could not be written; the old one is intact. The message has the reason.',
} satisfies ErrorMessages
