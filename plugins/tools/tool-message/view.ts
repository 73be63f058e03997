/** How sent messages are shown. */
import type { ToolCallView } from 'svc/sdk'
import { head, textIn } from 'svc/sdk/kit/views'
import type { ToolCallDisplay } from 'svc/sdk/terminal'

export const messageView: ToolCallView = {
  // Without the message: in the chat that it goes to, the title would be a second copy of it.
  title: ({ input }) => textIn(input, 'target') ?? '',
  body: (call) => sentBody(call),
}

/** What was sent, then what became of it. */
function sentBody({ input, text }: ToolCallDisplay) {
  const parts = [textIn(input, 'message'), text].flatMap((part) => (part ? [head(part)] : []))
  return parts.length > 0 ? ({ kind: 'text', text: parts.join('\n\n') } as const) : undefined
}
