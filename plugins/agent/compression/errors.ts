/** Codes of compression. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  COMPRESSION_NOTHING: 'The conversation is too short: what would be left out is less than what would take its place.',
  COMPRESSION_FAILED: 'No usable summary was written, and the conversation is as it was. The message says why.',
  COMPRESSION_REFUSED: 'A check refused the compression, and the conversation is as it was. The message says why.',
  COMPRESSION_BUSY: 'This conversation is being compressed already, perhaps by another svc. Wait a moment.',
} satisfies ErrorMessages
