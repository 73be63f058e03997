/**
 * How WhatsApp marks up text (faq.whatsapp.com/539178204879377). It has no escape: a lone mark shows as it is, but a backtick
 * would make code of all up to the next one.
 */
import type { Markup } from 'svc/sdk/platform'

/** Looks like a backtick, but is not one. */
const LOOKALIKE = 'ˋ'
/** Keeps backticks apart, and is not seen: three of them would end a block. */
const GAP = '\u200b'

export const markup: Markup = {
  bold: ['*', '*'],
  italic: ['_', '_'],
  strike: ['~', '~'],
  code: ['`', '`'],
  fence: (code) => `\`\`\`${code.replace(/^(?=`)|(?<=`)$/g, GAP)}\`\`\``,
  bullet: '- ',
  escape: (text) => text.replaceAll('`', LOOKALIKE),
  escapeCode: (code) => code.replace(/`(?=`)/g, `\`${GAP}`),
}
