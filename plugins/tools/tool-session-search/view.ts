/** How searches of earlier sessions are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

export const searchView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'session_id'), textIn(input, 'query')),
}
