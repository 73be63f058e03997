/** How the care for background commands is shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, outputBody, textIn } from 'svc/sdk/kit/views'

export const processView: ToolCallView = {
  title: ({ input }) => formatTitle(...['action', 'id', 'data'].map((key) => textIn(input, key))),
  body: outputBody,
}
