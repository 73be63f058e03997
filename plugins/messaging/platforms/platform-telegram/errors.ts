/** Error codes of the platform Telegram. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TELEGRAM_UNAUTHORIZED:
    'Telegram does not know the token of the bot. Copy it again from @BotFather into TELEGRAM_BOT_TOKEN, then resume the platform.',
  TELEGRAM_CONFLICT:
    'Another program reads the messages of this bot. Stop it, or give this one a bot of its own, then resume the platform.',
  TELEGRAM_WEBHOOK:
    'Another program has changed where Telegram sends the messages of this bot. Stop it, then resume the platform.',
  TELEGRAM_WEBHOOK_URL:
    'Telegram cannot be told to call this address. Set platforms.telegram.webhook_url to a public address that begins with https://.',
  TELEGRAM_UNREACHABLE: 'Telegram could not be reached, or broke off. It is asked again automatically.',
  TELEGRAM_CHAT:
    'Telegram does not let the bot write there: it was blocked, removed or has no rights, or there is no such chat.',
  TELEGRAM_FAILED: 'Telegram did not accept a message, or it is unknown whether it did: see the reason.',
  TELEGRAM_LENGTH: 'A message of Telegram has 1 to 4,096 characters. Send it in pieces.',
  TELEGRAM_CLOSED: 'The platform is not connected, so nothing was sent. It is sent once the platform is connected.',
  TELEGRAM_FILE: 'The file of a message could not be read from Telegram. Send it once more.',
} satisfies ErrorMessages
