/** How the search for tools is shown. */
import type { CallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

export const bridgeView: CallView = {
  title: ({ input }) => formatTitle(textIn(input, 'query') ?? textIn(input, 'name')),
}
