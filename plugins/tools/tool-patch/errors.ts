/** Error codes of the patch tool. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  PATCH_INPUT: 'The call lacks what its mode needs, or asks for no change. Send it again with what is named.',
  PATCH_NOT_FOUND: 'The file has no text like the one to be replaced. Read the lines that are named and copy them.',
  PATCH_AMBIGUOUS: 'The text is in several places. Give more lines around it, or ask for all of them.',
  PATCH_SYNTAX: 'The patch is not in the format it should be. The line that is wrong is named.',
  PATCH_PATH: 'A patch names a file outside the working folder. Use paths below the folder, without "..".',
  PATCH_MISSING: 'The patch changes or removes a file that does not exist. Add it, or correct its path.',
  PATCH_EXISTS: 'The patch makes a file that exists already. Update it, or delete it first.',
} satisfies ErrorMessages
