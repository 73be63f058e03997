/** Makes a conversation acceptable to every model API, whatever an interrupt or a crash left behind. Pure. */
import type { Message } from 'svc/sdk'
import { toWellFormedMessage } from 'svc/sdk/sessions'

type Assistant = Extract<Message, { role: 'assistant' }>
type User = Extract<Message, { role: 'user' }>
type ToolMessage = Extract<Message, { role: 'tool' }>

const NO_ANSWER = 'There is no result: the call was cut off before it was answered.'

/** Stands where a message with pictures got no answer. Joined to the next one, a picture that was refused would be again. */
const UNANSWERED: Message = { role: 'assistant', text: '(no answer)' }

/**
 * Every tool call is answered right behind its message, in the order of the calls; answers to nothing are left out;
 * neighbouring messages of the same role are merged; no half of a surrogate pair is left. A valid history is returned
 * with the very same message objects.
 */
export function repairHistory(given: readonly Message[]): Message[] {
  const messages = given.map(toWellFormedMessage)
  const answers = new Map<string, ToolMessage>()
  for (const message of messages) if (message.role === 'tool') answers.set(message.callId, message)
  const result: Message[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    result.push(...appendMessage(result.pop(), message))
    if (message.role === 'assistant' && message.toolCalls) result.push(...findAnswers(message, answers))
  }
  return result
}

function findAnswers({ toolCalls = [] }: Assistant, answers: ReadonlyMap<string, ToolMessage>): ToolMessage[] {
  return toolCalls.map(({ id }) => answers.get(id) ?? { role: 'tool', callId: id, text: NO_ANSWER })
}

/** The last message and the one behind it, merged where both have the same role. */
function appendMessage(last: Message | undefined, message: Message): readonly Message[] {
  if (last?.role === 'user' && message.role === 'user')
    return last.images?.length ? [last, UNANSWERED, message] : [mergeMessages(last, message)]
  if (last?.role === 'assistant' && message.role === 'assistant' && !isSignedCall(message))
    return [mergedAnswers(last, message)]
  return last ? [last, message] : [message]
}

/** Some services accept a tool call only together with the signed reasoning that came with it, as it came. */
function isSignedCall({ carry, toolCalls }: Assistant): boolean {
  return carry !== undefined && (toolCalls?.length ?? 0) > 0
}

function mergeMessages(first: User, second: User): Message {
  return { ...second, text: `${first.text}\n\n${second.text}` }
}

/** The first has no tool calls: their answers would stand between. `carry` is valid for its own message only. */
function mergedAnswers({ text, reasoning, images = [] }: Assistant, { carry: _, ...second }: Assistant): Message {
  const allImages = [...images, ...(second.images ?? [])]
  const allReasoning = paragraphs(reasoning, second.reasoning)
  return {
    ...second,
    text: paragraphs(text, second.text),
    ...(allReasoning && { reasoning: allReasoning }),
    ...(allImages.length > 0 && { images: allImages }),
  }
}

function paragraphs(...texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('\n\n')
}
