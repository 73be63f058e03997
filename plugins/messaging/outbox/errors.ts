/** Error codes of the outbox. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  OUTBOX_TARGET_UNKNOWN:
    'A message was to go to a chat that svc does not know. Name a platform that has a home chat, or a chat that has written before.',
  OUTBOX_TIMEOUT: 'A platform took a message and did not answer in time. The message says when it is tried again.',
  OUTBOX_TAKEN:
    'Another process of svc took a message over while this one was about to send it. Nothing is to be done.',
  OUTBOX_FILE: 'A file that was to be sent is empty or too large, or cannot be copied. The message says which.',
  OUTBOX_FILE_LOST:
    'The copy of a file was removed from the folder of the outbox before it was sent. Send the file again.',
  OUTBOX_DELIVERY:
    'There is no part of a message with this id, or it was delivered. `svc outbox list` names those that wait.',
  OUTBOX_NOTE: 'A platform wrote a note that is too long. That is a fault of its plugin.',
} satisfies ErrorMessages
