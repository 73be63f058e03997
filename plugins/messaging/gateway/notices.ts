/** What concerns one person only: said to them alone where the platform can, else in the chat. */
import { errorMessage, type Inbound, type Logger, type Platform, type Said } from 'svc/sdk'

/** Where it can be said. */
export interface NoticeParts {
  readonly platform: Platform
  readonly ctx: { readonly log: Pick<Logger, 'debug'> }
  readonly front: { say(said: Said): void }
}

/** Returns the text when the platform shows it as the answer to a press; nothing else has been said then. */
export function tellSender(
  { platform, ctx, front }: NoticeParts,
  { press, chatKind = 'dm', chatId, threadId, userId }: Inbound,
  text: string,
  tone: Said['tone'] = 'warning',
): string | undefined {
  if (press !== undefined && platform.limits.notices) return text
  if (!platform.notify || chatKind === 'dm') {
    front.say({ text, tone })
    return undefined
  }
  platform.notify({ chatId, userId, text, ...(threadId !== undefined && { threadId }) }).catch((error: unknown) => {
    ctx.log.debug('a note for one person is said to the whole chat', { error: errorMessage(error) })
    front.say({ text, tone })
  })
  return undefined
}
