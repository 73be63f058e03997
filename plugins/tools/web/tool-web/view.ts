/** How searches of the web and pages of it are shown. */
import type { ToolCallView } from 'svc/sdk'
import { escapeMarkdown, formatTitle, head, listIn, oneLine, textIn } from 'svc/sdk/kit/views'

const MAX_HITS = 50

export const searchView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'query')),
  body({ state, data }) {
    const hits = listIn(data, 'hits').slice(0, MAX_HITS).map(hitLine)
    return state === 'done' && hits.length > 0 ? { kind: 'markdown', text: hits.join('\n') } : undefined
  },
}

export const extractView: ToolCallView = {
  title({ input }) {
    const [first, ...others] = listIn(input, 'urls').filter((url) => typeof url === 'string')
    return formatTitle(first, others.length > 0 ? `+${others.length}` : undefined)
  },
  body: ({ state, text }) => (state === 'done' && text ? { kind: 'markdown', text: head(text) } : undefined),
}

function hitLine(hit: unknown, at: number): string {
  const url = textIn(hit, 'url') ?? ''
  const title = escapeMarkdown(oneLine(textIn(hit, 'title') || url))
  const snippet = escapeMarkdown(oneLine(textIn(hit, 'snippet') ?? '', 500))
  const link = /^https?:\/\/[^\s<>\\]+$/.test(url) ? `[${title}](<${url.slice(0, 2000)}>)` : title
  return `${at + 1}. ${link}${snippet === '' ? '' : `  \n   ${snippet}`}`
}
