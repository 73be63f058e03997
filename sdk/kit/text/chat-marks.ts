/** Marks of one sign each, as many chats have them, without a way to escape one. */
import type { Markup } from '../../markup.ts'

/** Looks like a backtick, but is not one. */
const LOOKALIKE = 'ˋ'
/** Keeps characters apart, and is not seen. */
const GAP = '\u200b'

/** `*bold*`, `_italic_`, `~struck~` and code in backticks. A lone mark shows as it is. @since 0.2 */
export const chatMarksMarkup: Markup = {
  bold: ['*', '*'],
  italic: ['_', '_'],
  strike: ['~', '~'],
  code: ['`', '`'],
  fence: (code) => `\`\`\`\n${code.replace(/^(?=`)|(?<=`)$/g, GAP)}\n\`\`\``,
  bullet: '- ',
  // A lone backtick would make code of all up to the next one.
  escape: (text) => text.replaceAll('`', LOOKALIKE),
  escapeCode: (code) => code.replace(/`(?=`)/g, `\`${GAP}`),
}
