/** How questions to people are shown. */
import type { ToolCallView } from 'svc/sdk'
import { formatTitle, head, listIn, oneLine, textIn } from 'svc/sdk/kit/views'

export const clarifyView: ToolCallView = {
  title: ({ input }) => formatTitle(textIn(input, 'question')),
  inline({ state, data }) {
    const answer = state === 'done' ? textIn(data, 'user_response') : undefined
    return answer ? { kind: 'text', text: oneLine(answer) } : undefined
  },
  body({ input, text }) {
    const choices = listIn(input, 'choices').flatMap((choice) =>
      typeof choice === 'string' ? [`○ ${oneLine(choice)}`] : [],
    )
    const said = [textIn(input, 'question') ?? '', ...choices, text ?? ''].filter((part) => part !== '')
    return said.length > 0 ? { kind: 'text', text: head(said.map((part) => head(part)).join('\n')) } : undefined
  },
}
