/** Which block shows a message. Events of a turn do not say which message they became, so texts and calls are compared. */
import type { Message } from 'svc/sdk'
import type { Block } from './state.ts'

/** The id of the block that shows `messages[at]`; of its question when the message itself has none of its own. */
export function findBlock(blocks: readonly Block[], messages: readonly Message[], at: number): number | undefined {
  const message = messages[at]
  if (!message) return undefined
  const question = messages.slice(0, at + 1).findLastIndex(({ role }) => role === 'user')
  const start = question < 0 ? 0 : findQuestion(blocks, messages, question)
  if (start === undefined) return undefined
  if (message.role === 'user') return blocks[start]?.id
  const rest = blocks.slice(start + 1)
  const end = rest.findIndex(isQuestion)
  const answers = end < 0 ? rest : rest.slice(0, end)
  return (answers.find((block) => shows(block, message)) ?? blocks[start])?.id
}

const isQuestion = ({ kind }: Block) => kind === 'user' || kind === 'steer'

/** Equal texts are told apart by how many of them follow. */
function findQuestion(blocks: readonly Block[], messages: readonly Message[], at: number): number | undefined {
  const text = messages[at]?.text
  let later = messages.slice(at + 1).filter((other) => other.role === 'user' && other.text === text).length
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index]
    if (!block || !isQuestion(block) || !('text' in block) || block.text !== text) continue
    if (later === 0) return index
    later--
  }
  return undefined
}

function shows(block: Block, message: Message): boolean {
  if (message.role === 'tool') return block.kind === 'tool' && block.callId === message.callId
  if (message.role !== 'assistant') return false
  if (message.text) return block.kind === 'answer' && block.text === message.text
  return block.kind === 'tool' && message.toolCalls?.[0]?.id === block.callId
}
