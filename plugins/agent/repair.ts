/** Makes a conversation acceptable to every model API, whatever an interrupt or a crash left behind. Pure. */
import { type Message, wellFormed } from 'svc/sdk'

type Assistant = Extract<Message, { role: 'assistant' }>
type ToolMessage = Extract<Message, { role: 'tool' }>

const NO_ANSWER = 'There is no result: the call was cut off before it was answered.'

/** Stands where a message with pictures got no answer. Joined to the next one, a picture that was refused would be again. */
const UNANSWERED: Message = { role: 'assistant', text: '(no answer)' }

/**
 * Every tool call is answered right behind its message, in the order of the calls; answers to nothing are left out;
 * neighbouring user messages become one; no half of a character is left. What is valid already comes back with the very
 * same message objects.
 */
export function repairHistory(given: readonly Message[]): Message[] {
  const messages = given.map(wellFormed)
  const answers = new Map<string, ToolMessage>()
  for (const message of messages) if (message.role === 'tool') answers.set(message.callId, message)
  const result: Message[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    const last = result.at(-1)
    if (message.role === 'user' && last?.role === 'user' && last.images?.length) result.push(UNANSWERED, message)
    else if (message.role === 'user' && last?.role === 'user') result[result.length - 1] = joined(last, message)
    else result.push(message)
    if (message.role === 'assistant' && message.toolCalls) result.push(...answersOf(message, answers))
  }
  return result
}

function answersOf({ toolCalls = [] }: Assistant, answers: ReadonlyMap<string, ToolMessage>): ToolMessage[] {
  return toolCalls.map(({ id }) => answers.get(id) ?? { role: 'tool', callId: id, text: NO_ANSWER })
}

function joined(a: Extract<Message, { role: 'user' }>, b: Extract<Message, { role: 'user' }>): Message {
  return { ...b, text: `${a.text}\n\n${b.text}` }
}
