/** Error codes of webhooks. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  WEBHOOK_ROUTE:
    'A route is not complete: the message names it and says what is missing. Without a secret any client could use it. Correct it under platforms.webhook.routes.',
  WEBHOOK_ROUTES_FILE:
    'The file of added routes cannot be read. Correct it, or remove it and add the routes again with `svc webhook add`.',
  WEBHOOK_TAKEN: 'There is a route of this name. Remove it first, or choose another name.',
  WEBHOOK_UNKNOWN: 'There is no such route, or no such event. `svc webhook list` shows the routes.',
  WEBHOOK_TARGET: 'The answer cannot be delivered where the route says. Correct its `deliver` and `deliver_extra`.',
  WEBHOOK_COMMENT: 'The code host did not take the comment. Check GITHUB_TOKEN, its rights, and the repository.',
  WEBHOOK_NOT_CONNECTED: 'Webhooks are not connected. See `svc gateway status` for the reason.',
  WEBHOOK_UNREACHABLE: 'Nothing answers where webhooks should be taken. Start `svc gateway run`, or check the address.',
} satisfies ErrorMessages
