/** Error codes of the plugin `debug-bundle`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DEBUG_OPTION: 'An option of `svc debug share` has a value that is not valid. The message says what to write.',
  DEBUG_TARGET:
    'The bundle cannot be written there: the file exists, its folder does not, or the disk refused. Choose another file with --out.',
} satisfies ErrorMessages
