/** Error codes of text messages. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SMS_MISSING_PHONE_NUMBER:
    'The number to send from is not set. Set TWILIO_PHONE_NUMBER, or the variable of your vendor, to it, as +15550100000.',
  SMS_MISSING_WEBHOOK_URL:
    'The public address is not set, so no signature can be checked. Set platforms.sms.webhook_url to the address that is set at the vendor.',
  SMS_OPEN_DOOR:
    'Unsigned messages are taken on this machine only. Set webhook_host to 127.0.0.1, or check signatures.',
  SMS_ACCOUNT: 'Twilio has suspended or closed the account. Its console says why.',
  SMS_NUMBER: 'This is no phone number in the form +15550100000. Correct the chat that was named.',
} satisfies ErrorMessages
