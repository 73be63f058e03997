/** What the refusals of Telegram mean: https://core.telegram.org/bots/api#making-requests. */
import { deliveryBusy, deliveryErrorFromResponse, deliveryRefused, deliveryThreadGone } from 'svc/sdk/platform'
import { type Refusal, STRANGE } from './api.ts'

/** An unknown token gets 401; a malformed one gets 404. */
export function isUnauthorized({ status }: Refusal): boolean {
  return status === 401 || status === 404
}

export function unauthorized(): Error {
  return deliveryRefused(
    'TELEGRAM_UNAUTHORIZED',
    'Telegram does not know this bot. Copy its token again from @BotFather into TELEGRAM_BOT_TOKEN, then resume telegram.',
  )
}

/** Why a message was not taken. */
export function sendFailure(refusal: Refusal): Error {
  const { status, description, retryAfterMs } = refusal
  if (isUnauthorized(refusal)) return unauthorized()
  if (status === 403 || /chat not found/i.test(description))
    return deliveryRefused('TELEGRAM_CHAT', `Telegram does not let the bot write to this chat: ${description}.`)
  if (status === 400 && /message thread not found|TOPIC_(CLOSED|DELETED)/i.test(description))
    return deliveryThreadGone('TELEGRAM_CHAT', `The topic takes no messages any more: ${description}.`)
  return deliveryErrorFromResponse({
    code: 'TELEGRAM_FAILED',
    what: 'Telegram refused the message',
    response: refusal,
    reason: description,
    ...(retryAfterMs !== undefined && { waitMs: retryAfterMs }),
  })
}

/** Something else answers. */
export function strange(): Error {
  return deliveryBusy('TELEGRAM_UNREACHABLE', 'What answers is not the Bot API. Check platforms.telegram.base_url.')
}

/** Why messages cannot be read. */
export function readFailure(refusal: Refusal): Error {
  const { status, description } = refusal
  if (isUnauthorized(refusal)) return unauthorized()
  if (status === 409 && /webhook/i.test(description))
    return deliveryRefused(
      'TELEGRAM_WEBHOOK',
      'Another program has set a webhook that gets the messages of this bot. Stop it, then resume telegram.',
    )
  if (status === 409)
    return deliveryRefused(
      'TELEGRAM_CONFLICT',
      'Another program reads the messages of this bot. Stop it or use another bot, then resume telegram.',
    )
  if (status === STRANGE) return strange()
  return deliveryBusy('TELEGRAM_UNREACHABLE', `Telegram does not give messages: HTTP ${status} ${description}`.trim())
}
