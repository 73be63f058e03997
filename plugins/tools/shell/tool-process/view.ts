/** How the care for background commands is shown. */
import type { CallView } from 'svc/sdk'
import { formatTitle, outputBody, textIn } from 'svc/sdk/kit/views'

export const processView: CallView = {
  title: ({ input }) => formatTitle(...['action', 'id', 'data'].map((key) => textIn(input, key))),
  body: outputBody,
}
