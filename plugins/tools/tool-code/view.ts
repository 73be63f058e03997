/** How scripts are shown. */
import type { ToolCallView } from 'svc/sdk'
import { fenced, firstLine, formatTitle, head, tail, textIn } from 'svc/sdk/kit/views'

export const codeView: ToolCallView = {
  title: ({ input }) => formatTitle(readLanguage(input), firstLine(textIn(input, 'code') ?? '')),
  body({ input, text }) {
    const script = textIn(input, 'code')
    const parts = [
      ...(script === undefined ? [] : [fenced(head(script), readLanguage(input))]),
      ...(text === undefined ? [] : [fenced(tail(text), '')]),
    ]
    return parts.length > 0 ? { kind: 'markdown', text: parts.join('\n\n') } : undefined
  },
  inline({ state, data }) {
    // How it ended says more than the first line that it wrote.
    const error = state === 'failed' ? firstLine(textIn(data, 'error') ?? '') : ''
    return error === '' ? undefined : { kind: 'text', text: error }
  },
}

const readLanguage = (input: unknown) => (textIn(input, 'language') === 'python' ? 'python' : 'javascript')
