/** Error codes of the reader of pictures and sounds. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MEDIA_SOURCE: 'What was named is no path, no http or https address and no data: URL. Name one of these.',
  MEDIA_FILE: 'The file cannot be read: it is a folder, a device, or its rights forbid it. Name an ordinary file.',
  MEDIA_STATUS: 'The website did not give the file out, as its HTTP status says. Check the address.',
  MEDIA_TIMEOUT: 'The download took longer than two minutes. Try again later, or download it with a command.',
  MEDIA_TOO_LARGE: 'The file is larger than what is read. Make it smaller, or cut it into pieces.',
  MEDIA_EMPTY: 'There is nothing in it: the file has no bytes, or a header and nothing else.',
  MEDIA_KIND: 'It is not what its name says: only pictures and sounds of the named kinds are taken. See what it is.',
  MEDIA_DAMAGED: 'The file is cut off or broken inside. Get it again, or save it again with another program.',
  MEDIA_NOT_KEPT: 'The file could not be written. See the reason: the disk may be full, or the folder not writable.',
} satisfies ErrorMessages
