/** How text is marked up in Matrix: the HTML of `org.matrix.custom.html` (spec.matrix.org, m.room.message msgtypes). */
import type { Markup } from 'svc/sdk/platform'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (one) => ENTITIES[one] ?? one)

export const markup: Markup = {
  bold: ['<strong>', '</strong>'],
  italic: ['<em>', '</em>'],
  strike: ['<del>', '</del>'],
  code: ['<code>', '</code>'],
  fence: (code, language) => `<pre><code${language ? ` class="language-${language}"` : ''}>${code}</code></pre>`,
  link: (text, address) => `<a href="${address}">${text}</a>`,
  heading: (text, level) => `<h${Math.min(level, 6)}>${text}</h${Math.min(level, 6)}>`,
  quote: (text) => `<blockquote>${text}</blockquote>`,
  bullet: '• ',
  escape: escapeHtml,
  escapeAddress: escapeHtml,
}
