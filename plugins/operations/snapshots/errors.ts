/** Error codes of the plugin `snapshots`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SNAPSHOT_COUNT: 'The number of snapshots to keep is not a whole number. Such as: svc snapshot prune 5.',
} satisfies ErrorMessages
