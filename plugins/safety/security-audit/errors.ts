/** Error codes of the plugin `security-audit`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  AUDIT_FAILED:
    'The database of advisories could not be asked, so the audit says nothing. Try again, or name a mirror with `security_audit.url`.',
} satisfies ErrorMessages
