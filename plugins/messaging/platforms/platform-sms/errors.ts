/** Error codes of text messages. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SMS_MISSING_PHONE_NUMBER: 'The number to send from is not set. Set TWILIO_PHONE_NUMBER to it, as +15550100000.',
  SMS_MISSING_WEBHOOK_URL:
    'The public address is not set, so no signature can be checked. Set platforms.sms.webhook_url to the address that is set at Twilio.',
  SMS_OPEN_DOOR:
    'Unsigned messages are taken on this machine only. Set webhook_host to 127.0.0.1, or check signatures.',
  SMS_UNAUTHORIZED: 'Twilio does not accept the account. Copy account SID and auth token from its console again.',
  SMS_ACCOUNT: 'Twilio has suspended or closed the account. Its console says why.',
  SMS_NOT_CONNECTED: 'Text messages are not connected. See `svc gateway status` for the reason.',
  SMS_UNREACHABLE:
    'Twilio could not be reached, or said something strange. Check the network and platforms.sms.base_url.',
  SMS_REFUSED: 'Twilio did not take the message. See its reason; numbers that said STOP cannot be written to.',
  SMS_NUMBER: 'This is no phone number in the form +15550100000. Correct the chat that was named.',
  SMS_TOO_LONG: 'A text message has at most 1,600 characters. Send it in parts.',
  SMS_MEDIA: 'A picture of a message could not be fetched. Ask for it again.',
} satisfies ErrorMessages
