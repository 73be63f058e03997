/** Error codes of the platform Mattermost. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MATTERMOST_UNAUTHORIZED:
    'The Mattermost server does not accept the token. Make a new one (Integrations, Bot Accounts) and set MATTERMOST_TOKEN.',
  MATTERMOST_SOCKET: 'The connection for events could not be made. See the reason; it is tried again.',
  MATTERMOST_FAILED: 'The Mattermost server could not be asked, or refused. The message holds what it said.',
  MATTERMOST_DISCONNECTED: 'Mattermost is not connected. Wait until the gateway has connected it again.',
} satisfies ErrorMessages
