/** How looks at pictures are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

export const visionView: ToolCallView = {
  title: ({ input }) => formatTitle(shortenAddress(textIn(input, 'image_url')), textIn(input, 'question')),
}

/** A picture that is written out in its address would fill the title. */
function shortenAddress(text: string | undefined): string | undefined {
  return text?.startsWith('data:') ? text.slice(0, 100).replace(/[;,].*$/s, '') : text
}
