/** Errors of the home, by their codes. */
import type { ErrorMessages } from '../sdk/errors.ts'

/** Codes that the home throws or reports. */
export const homeErrors = {
  CONFIG_CHANGED_OUTSIDE:
    'Something else than svc changed config.yaml, .env or another file that decides what it does. Look at what changed.',
  CONFIG_INVALID: 'A value in config.yaml is not what its plugin expects. The message has path, value and a hint.',
  HOME_UNUSABLE: 'SVC_HOME cannot be created, read or written. Fix its rights or set SVC_HOME to another folder.',
  PROFILE_UNKNOWN: 'No profile has this name, or the name is not allowed.',
  PROFILE_UNREADABLE:
    'The file `active_profile` cannot be read, so it is not known which profile is meant. Name one with -p.',
} satisfies ErrorMessages
