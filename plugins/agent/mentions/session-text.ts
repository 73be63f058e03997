/** What was said in another session, as text. */
import type { Sessions } from 'svc/sdk'
import type { MentionContent } from './mention.ts'

const MAX_CHARACTERS = 20_000

/** The end of it, without tools and their results. Throws `SESSION_NOT_FOUND`. */
export function sessionText(id: string, sessions: Sessions): MentionContent {
  const said = sessions
    .open(id)
    .messages()
    .flatMap((message) => {
      const isTalk = (message.role === 'user' || message.role === 'assistant') && message.text.trim() !== ''
      return isTalk ? [`${message.role}: ${message.text}`] : []
    })
  const text = said.join('\n\n')
  const cut = text.length > MAX_CHARACTERS ? `, the last ${MAX_CHARACTERS} characters` : ''
  return { note: `${said.length} messages of another session${cut}`, text: text.slice(-MAX_CHARACTERS) }
}
