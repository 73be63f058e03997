/** Calls that run commands and scripts. */
import type { ShownCall, ToolView } from 'svc/sdk'
import { fenced, firstLine, head, oneLine, tail, titleOf } from './text.ts'
import { textIn } from './value.ts'

export const terminal: ToolView = {
  name: 'terminal',
  tools: ['terminal'],
  title: ({ input }) => titleOf(textIn(input, 'command')),
  body: outputBody,
  inline: failedCommand,
}

export const processes: ToolView = {
  name: 'process',
  tools: ['process'],
  title({ input }) {
    const [action, id, typed] = ['action', 'id', 'data'].map((key) => textIn(input, key))
    return titleOf(action, id, typed)
  },
  body: outputBody,
}

export const code: ToolView = {
  name: 'code',
  tools: ['execute_code'],
  title: ({ input }) => titleOf(languageIn(input), firstLine(textIn(input, 'code') ?? '')),
  body({ input, text }) {
    const script = textIn(input, 'code')
    const parts = [
      ...(script === undefined ? [] : [fenced(head(script), languageIn(input))]),
      ...(text === undefined ? [] : [fenced(tail(text), '')]),
    ]
    return parts.length > 0 ? { kind: 'markdown', text: parts.join('\n\n') } : undefined
  },
  inline: failedCommand,
}

const languageIn = (input: unknown) => (textIn(input, 'language') === 'python' ? 'python' : 'javascript')

/** The newest lines are those that matter. */
function outputBody({ text, progress, data }: ShownCall) {
  const said = text ?? progress ?? textIn(data, 'output') ?? ''
  return said.trim() === '' ? undefined : ({ kind: 'text', text: tail(said) } as const)
}

/** How it ended says more than the first line that it wrote. */
function failedCommand({ state, text = '' }: ShownCall) {
  if (state !== 'failed') return undefined
  const remark = /(?:^|\n)\[([^\n]+)\]\s*$/.exec(text.slice(-2000))?.[1]
  return remark === undefined ? undefined : ({ kind: 'text', text: oneLine(remark) } as const)
}
