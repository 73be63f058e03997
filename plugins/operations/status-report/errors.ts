/** Error codes of the plugin `status-report`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  STATUS_SECTION_UNKNOWN: 'The named section does not exist, or has nothing to show. The message lists the sections.',
  STATUS_NO_CHECKS:
    'The plugin `doctor` is off, so `--deep` cannot check anything. Enable it: `svc plugins enable doctor`.',
} satisfies ErrorMessages
