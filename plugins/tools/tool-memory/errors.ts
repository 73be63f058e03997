/** Error codes of the memory tool. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MEMORY_INPUT: 'The call lacks the content or the old text that its action needs. Send it again with both.',
  MEMORY_REFUSED: 'The text holds secrets, invisible characters or orders to the model. Keep plain facts only.',
  MEMORY_DUPLICATE: 'An entry says nearly the same. Replace it instead of adding another.',
  MEMORY_NOT_FOUND: 'No entry holds the old text. Use words of an entry that is listed.',
  MEMORY_AMBIGUOUS: 'Several entries hold the old text. Use more of its words.',
  MEMORY_FULL: 'The entry does not fit. Shorten or remove others first, or write less.',
  MEMORY_PROVIDER: 'Nothing of this name stores memories. The message says what there is.',
  MEMORY_UNREADABLE:
    'The file of memories is no text file of sensible size. It was left alone; the user must look at it.',
} satisfies ErrorMessages
