/**
 * A conversation as one prompt. The protocol has no place for the tools of a client, so they are described in the prompt, and calls
 * come back in the text, between two marks.
 */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Message } from 'svc/sdk'
import { type ModelRequest, toolResultText } from 'svc/sdk/provider'

export const OPEN = '<function_call>'
export const CLOSE = '</function_call>'

const NO_TOOLS =
  'Answer the last message of this conversation as the assistant. Use none of your own tools: they are switched off here.'
const WITH_TOOLS = [
  'Answer the last message of this conversation as the assistant. Your own tools are switched off; use those below.',
  `To call one, end your answer with ${OPEN}{"name": "NAME", "arguments": {...}}${CLOSE}, several one after the other. Write nothing behind them:`,
  'the results come with the next message. Never invent a result.',
].join('\n')

export function toPrompt({ messages, tools }: ModelRequest, readsImages: boolean): ContentBlock[] {
  const names = new Map<string, string>()
  const parts = messages.map((message) => tell(message, names))
  const listed = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }))
  const head = tools.length > 0 ? [WITH_TOOLS, `<tools>\n${listed.join('\n')}\n</tools>`] : [NO_TOOLS]
  const text = [...head, ...parts].join('\n\n')
  const images = messages.flatMap((message) => ('images' in message ? (message.images ?? []) : []))
  return [
    { type: 'text', text },
    ...(readsImages
      ? images.map(({ data, mediaType }) => ({ type: 'image' as const, data, mimeType: mediaType }))
      : []),
  ]
}

function tell(message: Message, names: Map<string, string>): string {
  switch (message.role) {
    case 'system':
      return `<system>\n${message.text}\n</system>`
    case 'user':
      return `<user>\n${message.text}\n</user>`
    case 'tool':
      return `<tool_result name="${names.get(message.callId) ?? ''}" id="${message.callId}">\n${toolResultText(message)}\n</tool_result>`
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, input }) => {
        names.set(id, name)
        return `${OPEN}${JSON.stringify({ name, arguments: input })}${CLOSE}`
      })
      return `<assistant>\n${[message.text, ...calls].filter((text) => text !== '').join('\n')}\n</assistant>`
    }
  }
}
