/** How spoken and heard texts are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, oneLine, textIn } from 'svc/sdk/kit/views'

/** Of both tools: one has a text and makes a file, the other has a file. */
export const speechView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'text'), textIn(input, 'path')),
  inline({ state, data }) {
    const path = state === 'done' ? textIn(data, 'path') : undefined
    return path === undefined ? undefined : { kind: 'text', text: oneLine(path) }
  },
}
