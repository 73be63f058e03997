/** Markups of platforms, and readers of them: what people see, and whether a piece is well-formed by itself. */
import type { Markup } from 'svc/sdk/platform'

/** A platform. `read` throws where marks are left open or stand wrongly. */
export interface Reader {
  readonly name: string
  readonly markup: Markup
  read(piece: string): string
}

const forHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const fromHtml = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** As Telegram: https://core.telegram.org/bots/api#html-style */
export const html: Reader = {
  name: 'HTML',
  markup: {
    bold: ['<b>', '</b>'],
    italic: ['<i>', '</i>'],
    strike: ['<s>', '</s>'],
    code: ['<code>', '</code>'],
    fence: (code, language) =>
      language ? `<pre><code class="language-${language}">${code}</code></pre>` : `<pre>${code}</pre>`,
    link: (text, address) => `<a href="${address}">${text}</a>`,
    quote: (text) => `<blockquote>${text}</blockquote>`,
    bullet: '• ',
    escape: forHtml,
    escapeAddress: (address) => forHtml(address).replaceAll('"', '&quot;'),
  },
  read(piece) {
    const open: string[] = []
    const text = piece.replace(TAG, (whole, slash: string, tag: string | undefined, rest: string) => {
      if (tag === undefined) throw new Error(`"${whole}" is not escaped`)
      if (slash) close(open, tag)
      else begin(open, tag, rest)
      return ''
    })
    if (open.length) throw new Error(`left open: ${open}`)
    return fromHtml(text)
  },
}

const TAG = /<(\/?)([a-z]+)([^<>]*)>|[<>]|&(?!(?:lt|gt|amp|quot);)/g

function close(open: string[], tag: string): void {
  if (open.pop() !== tag) throw new Error(`</${tag}> closes something else`)
}

/** Code stands in nothing, quotations stand in no quotation. */
function begin(open: string[], tag: string, rest: string): void {
  const isWithin = open.some((each) => each !== 'pre' && each !== 'blockquote')
  if (tag === 'blockquote' ? open.length > 0 : ['code', 'pre'].includes(tag) && isWithin)
    throw new Error(`${tag} within ${open}`)
  if (rest && !/^ (?:href="https:[^"]+"|class="language-[^"]+")$/.test(rest)) throw new Error(`odd tag ${tag}${rest}`)
  open.push(tag)
}

/** Signs that mean something where nothing can be escaped are replaced by others that look like them. */
const lookalikes: Readonly<Record<string, string>> = { '*': '∗', _: '＿', '~': '～', '`': 'ˋ', '[': '［', ']': '］' }
const alike = (text: string) => text.replace(/[*_~`[\]]/g, (sign) => lookalikes[sign] ?? sign)
const unlike = (text: string) =>
  Object.entries(lookalikes).reduce((all, [sign, other]) => all.replaceAll(other, sign), text)

/** Marks of one sign, as chats have them. */
interface Signs {
  readonly bold: string
  readonly italic: string
  readonly strike: string
  /** A link, from its beginning: the words, and where it ends. */
  link(rest: string): { readonly text: string; readonly length: number } | undefined
  readonly isEscaped?: true
}

/** Reads marks with a stack; a mark beside a blank within is none, as chats see it. */
function reader(signs: Signs): (piece: string) => string {
  const marks = [signs.bold, signs.italic, signs.strike]
  return function read(piece: string): string {
    const fences = piece.split('```')
    if (fences.length % 2 === 0) throw new Error('a fence is left open')
    return fences
      .map((part, at) =>
        at % 2
          ? part.replace(/^[\w+#.-]*\n/, '\n')
          : inline(part.replace(/^> ?/gm, '').replace(signs.isEscaped ? /^#{1,3} /gm : '', '')),
      )
      .join('')
  }
  function inline(text: string): string {
    const open: string[] = []
    let seen = ''
    for (let at = 0; at < text.length; ) {
      const { words, length } = next(text, at, open)
      seen += words
      at += length
    }
    if (open.length) throw new Error(`left open: ${open}`)
    return seen
  }
  function next(text: string, at: number, open: string[]): { words: string; length: number } {
    const rest = text.slice(at)
    if (signs.isEscaped && rest[0] === '\\') return { words: rest[1] ?? '', length: 2 }
    if (rest[0] === '`') return codeIn(rest)
    const link = signs.link(rest)
    if (link) return { words: inline(link.text), length: link.length }
    const mark = marks.find((each) => rest.startsWith(each))
    if (!mark) return { words: rest[0] ?? '', length: 1 }
    turn(mark, open, open.at(-1) === mark ? text[at - 1] : text[at + mark.length])
    return { words: '', length: mark.length }
  }
}

function codeIn(rest: string): { words: string; length: number } {
  const end = rest.indexOf('`', 1)
  if (end < 0) throw new Error('code is left open')
  return { words: rest.slice(1, end), length: end + 1 }
}

/** Opens or closes a style; `beside` is the character within. */
function turn(mark: string, open: string[], beside: string | undefined): void {
  if (beside === undefined || /\s/.test(beside)) throw new Error(`${mark} stands beside a blank`)
  if (open.at(-1) === mark) open.pop()
  else if (open.includes(mark)) throw new Error(`${mark} within itself`)
  else open.push(mark)
}

const slackSigns = reader({
  bold: '*',
  italic: '_',
  strike: '~',
  link(rest) {
    const [whole, text = ''] = /^<https:[^|<>]+\|([^<>]*)>/.exec(rest) ?? []
    return whole === undefined ? undefined : { text, length: whole.length }
  },
})

/** As Slack: https://docs.slack.dev/messaging/formatting-message-text */
export const slack: Reader = {
  name: 'Slack',
  markup: {
    bold: ['*', '*'],
    italic: ['_', '_'],
    strike: ['~', '~'],
    code: ['`', '`'],
    fence: (code) => `\`\`\`\n${code}\n\`\`\``,
    link: (text, address) => `<${address}|${text}>`,
    quote: (text) => text.replace(/^/gm, '> '),
    bullet: '• ',
    escape: (text) => alike(forHtml(text)),
    escapeCode: (text) => forHtml(text).replaceAll('`', 'ˋ'),
    escapeAddress: (address) => address.replaceAll('|', '%7C'),
  },
  read: (piece) => unlike(fromHtml(slackSigns(piece))),
}

const whatsappSigns = reader({ bold: '*', italic: '_', strike: '~', link: () => undefined })

/** As WhatsApp, which has no links: https://faq.whatsapp.com/539178204879377 */
export const whatsapp: Reader = {
  name: 'WhatsApp',
  markup: {
    bold: ['*', '*'],
    italic: ['_', '_'],
    strike: ['~', '~'],
    code: ['`', '`'],
    fence: (code) => `\`\`\`${code}\`\`\``,
    bullet: '• ',
    escape: alike,
    escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  },
  read: (piece) => unlike(whatsappSigns(piece.replaceAll('```', '```\n'))),
}

const commonMark = reader({
  bold: '**',
  italic: '_',
  strike: '~~',
  isEscaped: true,
  link(rest) {
    const [whole, text = ''] = /^\[((?:\\.|[^\\\]])*)\]\(<https:[^<>]+>\)/.exec(rest) ?? []
    return whole === undefined ? undefined : { text, length: whole.length }
  },
})

/** As Discord: https://discord.com/developers/docs/reference#message-formatting and its Markdown. */
export const discord: Reader = {
  name: 'Discord',
  markup: {
    bold: ['**', '**'],
    italic: ['_', '_'],
    strike: ['~~', '~~'],
    code: ['`', '`'],
    fence: (code, language) => `\`\`\`${language}\n${code}\n\`\`\``,
    heading: (text, level) => `${'#'.repeat(Math.min(level, 3))} ${text}`,
    link: (text, address) => `[${text}](<${address}>)`,
    quote: (text) => text.replace(/^/gm, '> '),
    bullet: '• ',
    escape: (text) => text.replace(/[\\*_~`|[\]<>#]/g, '\\$&'),
    escapeCode: (text) => text.replaceAll('`', 'ˋ'),
  },
  read: (piece) => unlike(commonMark(piece)),
}

export const plain: Reader = { name: 'plain', markup: { bullet: '• ' }, read: (piece) => piece }

export const readers: readonly Reader[] = [plain, html, slack, whatsapp, discord]
