/**
 * What other plugins add to an answer: asked for once its turn is complete, and stored in the outbox as one message behind the
 * answer. The key of that message is made of the turn, so it is posted once, also when a crash has it asked for again.
 */
import { logFault, type PluginContext } from 'svc/sdk'
import { type AnsweredTurn, SelectAnswerFiles } from 'svc/sdk/media'
import { type InboundMessage, Outbox, Platforms } from 'svc/sdk/platform'
import type { FileDestination } from './turn-files.ts'

/** A complete turn whose answer is in the outbox. */
export interface Answered {
  readonly sessionId: string
  readonly turnId: string
  readonly answer: string
  readonly messages: readonly InboundMessage[]
}

/**
 * Resolves when the outbox has what follows the answer, with false when that was cut off and has to be asked for again. Never
 * rejects: the answer itself has left.
 */
export async function postFollowUp(
  ctx: PluginContext<unknown>,
  answered: Answered,
  { replyTo: _, ...place }: FileDestination,
  signal: AbortSignal,
): Promise<boolean> {
  const outbox = ctx.use(Outbox)
  const key = `${answered.turnId}:follow-up`
  try {
    if (ctx.all(Platforms).get(place.platform)?.isEvents) return true
    if (outbox.deliveries({ key, limit: 1 }).length > 0) return true
    const { platform, chatId, threadId } = place
    const turn: AnsweredTurn = {
      ...{ ...answered, platform, chatId, signal },
      ...(threadId !== undefined && { threadId }),
    }
    const { files, text } = await ctx.call(SelectAnswerFiles, { files: [], text: '' }, turn)
    if (signal.aborted) return false
    if (files.length > 0 || text.trim() !== '') outbox.post({ ...place, key, text, files })
    return true
  } catch (error) {
    logFault(ctx.log, 'what follows an answer could not be sent', error)
    return !signal.aborted
  }
}
