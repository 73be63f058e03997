/** What other plugins are told about a conversation. A listener that fails is logged; nothing here rejects. */
import { type Conversation, logFault, type PluginContext, Sessions } from 'svc/sdk'
import { ConversationClosed, ConversationOpened, ModelChanged, type ModelReference } from 'svc/sdk/hooks'
import { omitUndefined } from './turn-settings.ts'

type ModelChoice = { readonly [Key in keyof ModelReference]: string | undefined }

export async function announceOpened(ctx: PluginContext<undefined>, conversation: Conversation): Promise<void> {
  // The front end does not have the conversation yet, and listeners may say something in it.
  await Promise.resolve()
  const { sessionId } = conversation
  try {
    const isNew = ctx.use(Sessions).summary(sessionId).messageCount === 0
    await ctx.call(ConversationOpened, { conversation, sessionId, reason: isNew ? 'begun' : 'resumed' })
  } catch (error) {
    logFault(ctx.log, 'the opening of a conversation could not be announced', error)
  }
}

export async function announceClosed(
  ctx: PluginContext<undefined>,
  conversation: Conversation,
  reason: 'closed' | 'switched',
): Promise<void> {
  try {
    await ctx.call(ConversationClosed, { conversation, sessionId: conversation.sessionId, reason })
  } catch (error) {
    logFault(ctx.log, 'the end of a conversation could not be announced', error)
  }
}

/** Announces the model if another one is chosen now. */
export function announceModel(
  ctx: PluginContext<undefined>,
  { sessionId, settings }: Conversation,
  before: ModelChoice,
) {
  const { provider, model } = settings
  if (provider === before.provider && model === before.model) return
  const change = { from: omitUndefined(before), to: omitUndefined({ provider, model }) }
  const told = ctx.call(ModelChanged, { sessionId, ...change, reason: 'chosen' })
  told.catch((error: unknown) => logFault(ctx.log, 'a change of the model could not be announced', error))
}
