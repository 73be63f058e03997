/** Error codes of the composer. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TUI_EDITOR: 'The editor could not be used, and the draft is as it was. Set $VISUAL or $EDITOR to one that works.',
  TUI_CLIPBOARD: 'There is no picture in the clipboard, or no program that could tell. Drop a file instead.',
  TUI_TOO_MANY_IMAGES: 'A message takes ten images. Remove one with backspace.',
} satisfies ErrorMessages
