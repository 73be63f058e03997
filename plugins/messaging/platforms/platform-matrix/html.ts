/** Converts between the HTML of a message and its plain text fallback. */

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Whether a text in our markup has anything that plain text has not. */
export function isMarked(html: string): boolean {
  return /<[a-z]/.test(html)
}

/** Block elements: line ends around them would make gaps. */
const BLOCK_EDGES = /\n*(<h[1-6]>|<blockquote>)|(<\/h[1-6]>|<\/blockquote>)\n*/g

/** As it is sent: HTML passes over line ends and over blanks before a line, except in `pre`. */
export function withBreaks(html: string): string {
  return html
    .split(/\n*(<pre>[\s\S]*?<\/pre>)\n*/)
    .map((part, at) => (at % 2 === 1 ? part : insertLineBreaks(part)))
    .join('')
}

function insertLineBreaks(text: string): string {
  return text
    .replace(BLOCK_EDGES, '$1$2')
    .replace(/^ +/gm, (blanks) => '\u00a0'.repeat(blanks.length))
    .replace(/\n/g, '<br>')
}

/** The words, with the address behind a link that is called something else, and quotations as in mail. */
export function plainText(html: string): string {
  const quoted = html.replace(/<blockquote>([\s\S]*?)<\/blockquote>/g, (_all, text: string) =>
    text.replace(/^/gm, '&gt; '),
  )
  const linked = quoted.replace(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_all, address: string, text: string) =>
    text === address ? text : `${text} (${address})`,
  )
  return linked
    .replace(/<br\s*\/?>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+|#39);/g, (all, name: string) => ENTITIES[name] ?? all)
}
