/** Error codes of the guard of web addresses. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  URL_FORBIDDEN:
    'The address may not be asked: see the reason. Private addresses are a matter of security.allow_private_urls.',
} satisfies ErrorMessages
