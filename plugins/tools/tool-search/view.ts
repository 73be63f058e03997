/** How the search for tools is shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

export const bridgeView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'query') ?? textIn(input, 'name')),
}
