/** Calls that search and read the web. */
import type { ToolView } from 'svc/sdk'
import { escaped, head, oneLine, titleOf } from './text.ts'
import { listIn, textIn } from './value.ts'

const MAX_HITS = 50

export const webSearch: ToolView = {
  name: 'web-search',
  tools: ['web_search'],
  title: ({ input }) => titleOf(textIn(input, 'query')),
  body({ state, data }) {
    const hits = listIn(data, 'hits').slice(0, MAX_HITS).map(hitLine)
    return state === 'done' && hits.length > 0 ? { kind: 'markdown', text: hits.join('\n') } : undefined
  },
}

export const webPages: ToolView = {
  name: 'web-pages',
  tools: ['web_extract'],
  title({ input }) {
    const [first, ...others] = listIn(input, 'urls').filter((url) => typeof url === 'string')
    return titleOf(first, others.length > 0 ? `+${others.length}` : undefined)
  },
  body: ({ state, text }) => (state === 'done' && text ? { kind: 'markdown', text: head(text) } : undefined),
}

function hitLine(hit: unknown, at: number): string {
  const url = textIn(hit, 'url') ?? ''
  const title = escaped(oneLine(textIn(hit, 'title') || url))
  const snippet = escaped(oneLine(textIn(hit, 'snippet') ?? '', 500))
  const link = /^https?:\/\/[^\s<>\\]+$/.test(url) ? `[${title}](<${url.slice(0, 2000)}>)` : title
  return `${at + 1}. ${link}${snippet === '' ? '' : `  \n   ${snippet}`}`
}
