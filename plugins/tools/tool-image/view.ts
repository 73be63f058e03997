/** How drawn pictures are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, oneLine, textIn } from 'svc/sdk/kit/views'

export const imageView: ToolCallView = {
  title: ({ input }) => formatTitle(shortenAddress(textIn(input, 'image_url')), textIn(input, 'prompt')),
  inline({ state, data }) {
    const path = state === 'done' ? textIn(data, 'path') : undefined
    return path === undefined ? undefined : { kind: 'text', text: oneLine(path) }
  },
}

/** A picture that is written out in its address would fill the title. */
function shortenAddress(text: string | undefined): string | undefined {
  return text?.startsWith('data:') ? text.slice(0, 100).replace(/[;,].*$/s, '') : text
}
