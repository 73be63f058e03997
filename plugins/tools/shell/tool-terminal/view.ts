/** How commands are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, oneLine, outputBody, textIn } from 'svc/sdk/kit/views'

export const terminalView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'command')),
  body: outputBody,
  inline({ state, data }) {
    // How it ended says more than the first line that it wrote.
    const ended = state === 'failed' ? textIn(data, 'ended') : undefined
    return ended === undefined ? undefined : { kind: 'text', text: oneLine(ended) }
  },
}
