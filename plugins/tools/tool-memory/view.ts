/** How changes of the memory are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'

export const memoryView: ToolCallView = {
  title({ input }) {
    const [action, target, content, old] = ['action', 'target', 'content', 'old_text'].map((key) => textIn(input, key))
    return formatTitle(action, target, content ?? old)
  },
}
