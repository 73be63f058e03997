/** Error codes of WhatsApp. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  WHATSAPP_UNAUTHORIZED:
    'Meta does not accept the access token, or it has expired. Make one for a system user and set WHATSAPP_CLOUD_ACCESS_TOKEN to it.',
  WHATSAPP_WINDOW:
    'More than 24 hours have passed since the person wrote, and WhatsApp forbids to write first. Wait until they write again, or set platforms.whatsapp.template_name to an approved template.',
  WHATSAPP_NOT_CONNECTED: 'WhatsApp is not connected. See `svc gateway status` for the reason.',
  WHATSAPP_UNREACHABLE:
    'The Graph API could not be reached, or said something strange. Check the network and base_url.',
  WHATSAPP_REFUSED: 'WhatsApp did not take the message. Its reason stands in the message.',
  WHATSAPP_BUSY: 'WhatsApp is rate-limiting requests. The message is sent later.',
  WHATSAPP_NUMBER:
    'This is no WhatsApp number: digits with the country code and without +. Correct the chat that was named.',
  WHATSAPP_TOO_LONG: 'A WhatsApp message has at most 4,096 characters with its header. Send it in parts.',
  WHATSAPP_HALF:
    'The first half of a message was sent and the second was not. Look into the chat before it is sent again.',
  WHATSAPP_MEDIA: 'A file of a message could not be fetched. Ask for it again.',
} satisfies ErrorMessages
