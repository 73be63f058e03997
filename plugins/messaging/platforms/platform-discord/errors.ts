/** Error codes of the platform Discord. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DISCORD_UNAUTHORIZED:
    'Discord does not accept the token. Make a new one in the Developer Portal (Bot, Reset Token) and set DISCORD_BOT_TOKEN.',
  DISCORD_INTENTS:
    'The bot may not read messages. Switch on the Message Content Intent in the Developer Portal, on the page Bot.',
  DISCORD_GATEWAY: 'The connection for events could not be made or was refused. See the reason; it is tried again.',
  DISCORD_FAILED: 'Discord could not be asked, or refused. The message holds what it said.',
  DISCORD_DISCONNECTED: 'Discord is not connected. Wait until the gateway has connected it again.',
} satisfies ErrorMessages
