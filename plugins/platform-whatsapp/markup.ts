/** How WhatsApp marks up text (faq.whatsapp.com/539178204879377). It has no escape: a lone mark shows as it is. */
import type { Markup } from 'svc/sdk'

export const markup: Markup = {
  bold: ['*', '*'],
  italic: ['_', '_'],
  strike: ['~', '~'],
  code: ['`', '`'],
  fence: (code) => `\`\`\`${code}\`\`\``,
  bullet: '- ',
}
