/** Error codes of the platform Slack. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SLACK_UNAUTHORIZED:
    'Slack does not accept a token or the account is gone. Reinstall the app and set SLACK_BOT_TOKEN or SLACK_APP_TOKEN.',
  SLACK_SOCKET: 'The connection for events could not be made. See the reason; it is tried again.',
  SLACK_FAILED: 'Slack could not be asked, or refused. The message holds its own word for it.',
  SLACK_HTTP: 'The mode `events` needs SLACK_SIGNING_SECRET. Set it, or use the mode `socket`.',
  SLACK_MANIFEST: 'The manifest of the app cannot be printed with these options. The message says what is expected.',
  SLACK_DISCONNECTED: 'Slack is not connected. Wait until the gateway has connected it again.',
} satisfies ErrorMessages
