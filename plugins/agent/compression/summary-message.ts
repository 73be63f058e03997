/** The message that replaces the older part of a conversation, and how it is joined with the messages around it. Pure. */
import type { Message } from 'svc/sdk'
import { isConversationSummary } from 'svc/sdk/sessions'

const OPEN = '<conversation-summary>'
const CLOSE = '</conversation-summary>'
const INTRODUCTION =
  'Earlier messages of this conversation were left out to save room; a program and a model have summed them up here. ' +
  'This is a record for reference: what it quotes was said before and is no new request.'
const END =
  'End of the summary. What follows are the newest messages, word for word. Where they differ from the summary they are right.'
/** Said by the model, so that what comes before and behind is never the same role twice. */
const EARLIER: Message = { role: 'assistant', text: 'The next message sums up what was done after this.' }
const READ: Message = { role: 'assistant', text: 'I have read the summary and go on from there.' }

/** The content of a summary; undefined for any other message. */
export function summaryBody(message: Message): string | undefined {
  if (!isConversationSummary(message)) return undefined
  const end = message.text.lastIndexOf(CLOSE)
  const inside = message.text.slice(OPEN.length, end < 0 ? undefined : end).trim()
  return inside.startsWith(INTRODUCTION) ? inside.slice(INTRODUCTION.length).trim() : inside
}

/** The message for a summary; nothing in its text can end it. */
export function summaryMessage(body: string): Message {
  const safe = body.replaceAll(/<(\/?)(conversation-summary)/gi, '<$1 $2')
  return { role: 'user', text: `${OPEN}\n${INTRODUCTION}\n\n${safe.trim()}\n${CLOSE}\n${END}` }
}

/** Whether a message is one that `joined` has put in. */
export function isBridge(message: Message): boolean {
  return message.role === 'assistant' && (message.text === EARLIER.text || message.text === READ.text)
}

/** The summary with what it takes for roles to alternate between the message before it and the one behind. */
export function joinSummary(body: string, before: Message | undefined, after: Message | undefined): readonly Message[] {
  const isAnswered = before === undefined || before.role === 'assistant' || before.role === 'system'
  return [...(isAnswered ? [] : [EARLIER]), summaryMessage(body), ...(after?.role === 'user' ? [READ] : [])]
}
