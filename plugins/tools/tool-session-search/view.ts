/** How searches of earlier sessions are shown. */
import type { CallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

export const searchView: CallView = {
  title: ({ input }) => formatTitle(textIn(input, 'session_id'), textIn(input, 'query')),
}
