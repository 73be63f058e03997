/** Conversations as one HTML page that needs nothing else and runs nothing: stored text may be hostile. */
import { Marked } from 'marked'
import type { ImageContent, Message } from 'svc/sdk'
import { formatCount, formatMoment, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { Format } from './export.ts'

const style = `
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 3rem 0 0 }
article { margin: 1rem 0; padding: .5rem 1rem; border-left: .25rem solid #8886 }
article.user { border-color: #37f } article.tool { font-size: .9rem }
header, .facts { color: #777; font-size: .85rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: .25rem 0 }
.tool pre, details pre { font: .85rem/1.4 ui-monospace, monospace }
img { max-width: 100% } table { border-collapse: collapse } td, th { border: 1px solid #8886; padding: .2rem .5rem }
article div pre { font: .85rem/1.4 ui-monospace, monospace; background: #8881; padding: .5rem; overflow-x: auto }
code { font-family: ui-monospace, monospace; background: #8881 }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } }
`

export const html: Format = {
  // The policy is a second wall behind the escaping: no script, no request, whatever a page is made to hold.
  head: `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Conversations</title><style>${style}</style></head><body>
`,
  *session({ session, length, messages }) {
    const facts = [session.id, session.surface, session.cwd, formatCount(length, 'message')].map(safeLine).join(' · ')
    yield `<section>
<h1 dir="auto">${escapeHtml(safeLine(session.title ?? session.id))}</h1>
<p class="facts">${escapeHtml(facts)}</p>
`
    for (const { message, at } of messages()) yield `${article(message, formatMoment(at))}\n`
    yield '</section>\n'
  },
  foot: '</body></html>\n',
}

function article(message: Message, time: string): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const images = 'images' in message ? (message.images ?? []) : []
  return [
    `<article class="${message.role}"><header>${message.role} · ${time}</header>`,
    ...(message.text ? [message.role === 'assistant' ? renderMarkdown(message.text) : pre(message.text)] : []),
    ...calls.map(({ name, input }) =>
      details(name, typeof input === 'string' ? input : JSON.stringify(input, undefined, 2)),
    ),
    ...images.map(picture),
    '</article>',
  ].join('\n')
}

function pre(text: string): string {
  // A line break right behind the tag would be left out.
  return `<pre dir="auto">\n${escapeHtml(safeBlock(text))}</pre>`
}

/** Markdown as HTML; marks of HTML in it are shown as they were written, and only web addresses are links. */
function renderMarkdown(text: string): string {
  return `<div dir="auto">${markdownPage.parse(safeBlock(text), { async: false })}</div>`
}

const markdownPage = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text, href }) => escapeHtml(text || href),
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      return /^(https?|mailto):/i.test(href) ? `<a href="${escapeHtml(href)}" rel="noreferrer">${inner}</a>` : inner
    },
  },
})

function details(name: string, input: string | undefined): string {
  return `<details><summary>${escapeHtml(safeLine(name))}</summary>${pre(input ?? '')}</details>`
}

/** Only kinds that cannot hold a script. */
function picture({ mediaType, data }: ImageContent): string {
  const isSafe = /^image\/(png|jpeg|gif|webp)$/.test(mediaType) && /^[\w+/]+={0,2}$/.test(data)
  return isSafe
    ? `<img alt="" src="data:${mediaType};base64,${data}">`
    : '<p class="facts">a picture that is not shown</p>'
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
