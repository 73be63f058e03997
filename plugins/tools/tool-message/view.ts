/** How sent messages are shown. */
import type { CallView, ShownCall } from 'svc/sdk'
import { formatTitle, head, textIn } from 'svc/sdk/kit/views'

export const messageView: CallView = {
  title: ({ input }) => formatTitle(textIn(input, 'target'), textIn(input, 'message')),
  body: (call) => sentBody(call),
}

/** What was sent, then what became of it. */
function sentBody({ input, text }: ShownCall) {
  const parts = [textIn(input, 'message'), text].flatMap((part) => (part ? [head(part)] : []))
  return parts.length > 0 ? ({ kind: 'text', text: parts.join('\n\n') } as const) : undefined
}
