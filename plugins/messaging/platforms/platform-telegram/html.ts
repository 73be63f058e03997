/** The HTML of messages: https://core.telegram.org/bots/api#html-style. */
import type { Markup } from 'svc/sdk/platform'

const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

export const html: Markup = {
  bold: ['<b>', '</b>'],
  italic: ['<i>', '</i>'],
  strike: ['<s>', '</s>'],
  code: ['<code>', '</code>'],
  fence(code, language) {
    const name = language.replace(/[^\w+#.-]/g, '')
    return name ? `<pre><code class="language-${name}">${code}</code></pre>` : `<pre>${code}</pre>`
  },
  link: (text, address) => `<a href="${address}">${text}</a>`,
  quote: (text) => `<blockquote>${text}</blockquote>`,
  bullet: '• ',
  escape: escapeHtml,
  escapeAddress: (address) => escapeHtml(address).replace(/"/g, '&quot;'),
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

/** The words alone, for when Telegram does not understand the marks. */
export function withoutMarks(text: string): string {
  return text
    .replace(/<\/?[a-z][^>]*>/g, '')
    .replace(/&(lt|gt|amp|quot);/g, (whole, name: string) => ENTITIES[name] ?? whole)
}
