/** How scripts are shown. */
import type { CallView } from 'svc/sdk'
import { fenced, firstLine, formatTitle, head, tail, textIn } from 'svc/sdk/kit/views'

export const codeView: CallView = {
  title: ({ input }) => formatTitle(languageIn(input), firstLine(textIn(input, 'code') ?? '')),
  body({ input, text }) {
    const script = textIn(input, 'code')
    const parts = [
      ...(script === undefined ? [] : [fenced(head(script), languageIn(input))]),
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

const languageIn = (input: unknown) => (textIn(input, 'language') === 'python' ? 'python' : 'javascript')
