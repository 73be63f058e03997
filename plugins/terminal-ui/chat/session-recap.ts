/** What a user who resumes a conversation sees first. */
import type { Session, Translate } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'

const MAX_LINES = 20

/** The last question and answer, and whether the last turn was cut off. */
export function recap(session: Session, t: Translate): string {
  const messages = session.messages()
  const question = messages.findLast((message) => message.role === 'user')
  const answer = messages.findLast((message) => message.role === 'assistant' && message.text)
  const end = session.events().findLast((event) => event.type === 'turn.end')
  const parts = [question && `> ${shorten(question.text, t)}`, answer && shorten(answer.text, t)]
  if (end?.type === 'turn.end' && end.reason === 'crashed')
    parts.push(t('(svc stopped in the middle of this turn; what was shown is kept. Ask again to continue.)'))
  return parts.filter(Boolean).join('\n')
}

function shorten(text: string, t: Translate): string {
  const lines = safePiece(text).split('\n')
  const kept = lines.slice(-MAX_LINES).join('\n')
  const count = lines.length - MAX_LINES
  return count > 0 ? `${t('[{count, plural, one {# line} other {# lines}} left out]', { count })}\n${kept}` : kept
}
