import type { ErrorMessages } from 'svc/sdk'

export default {
  PROFILE_NAME:
    'The name cannot be that of a profile: 1 to 64 lower-case letters, digits, - and _, and none of the reserved names.',
  PROFILE_TAKEN:
    'A profile of this name is there already, or one whose name differs only in case. Choose another name.',
  PROFILE_NOT_FOUND: 'There is no profile of this name. `svc profile list` shows those there are.',
  PROFILE_IN_USE:
    'The profile cannot be changed now: it is the default one, the active one, or a svc runs in it. The message says which.',
  PROFILE_BUSY: 'Another svc changes the profiles of this home. Try again when it is done.',
  PROFILE_WRITE: 'A file of a profile cannot be read or written. The message names it; nothing was left half done.',
  PROFILE_SKILLS: 'The plugin that copies built-in skills does not run, so they cannot be switched off for a profile.',
  PROFILE_MODEL: 'The model was not written into the new profile, and nothing was made. The message says why.',
  PROFILE_SOUL: 'SOUL.md was not read or written. The message says why; nothing was overwritten.',
  PROFILE_DESCRIBE: 'The profile was not described. The message says why; a text of your own needs no model.',
  PROFILE_ARCHIVE:
    'The archive is not one that can be imported. The message says why; nothing was made. Export the profile again.',
  PROFILE_SCAN:
    'A skill of the profile may do harm, or no plugin looks at skills. The message says what was found; nothing was made.',
  PROFILE_SOURCE:
    'A profile cannot be taken over from its repository. The message says why; nothing was changed. Look at the address, and whether git can reach it.',
  PROFILE_EXPORT: 'The profile was not exported. The message says why.',
  PROFILE_ALIAS: 'The command was not written or removed. The message says why.',
} satisfies ErrorMessages
