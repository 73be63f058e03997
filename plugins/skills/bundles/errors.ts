/** Error codes of the plugin `bundles`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BUNDLE_DISK: 'The folder of the bundles cannot be written. Make it writable, or free space, and try again.',
  BUNDLE_EXISTS: 'There is a bundle with this name already. Use --force to replace it, or choose another name.',
  BUNDLE_INVALID: 'The name or the skills of the bundle cannot be used; the message says why.',
  BUNDLE_NOT_FOUND: 'There is no bundle of this name. `svc bundles list` shows them.',
} satisfies ErrorMessages
