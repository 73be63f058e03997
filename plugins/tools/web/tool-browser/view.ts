/** How calls that drive the browser are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

const KEYS = ['ref', 'url', 'direction', 'key', 'text', 'action', 'prompt_text', 'question', 'expression']

export const browserView: ToolCallView = {
  title: ({ input }) => formatTitle(...KEYS.map((key) => textIn(input, key))),
}
