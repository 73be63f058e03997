/** Whether plugins let a model be chosen for a conversation. */
import type { Conversation, PluginContext } from 'svc/sdk'
import type { ModelReference } from 'svc/sdk/hooks'
import { checkModelChange } from 'svc/sdk/sessions'

/** Throws `MODEL_CHANGE_DENIED`. */
export async function checkChosen(
  ctx: PluginContext<undefined>,
  conversation: Conversation,
  to: ModelReference,
): Promise<void> {
  const { sessionId, settings } = conversation
  const { provider, model } = settings
  const from = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
  await checkModelChange(ctx, { sessionId, from, to, reason: 'chosen', conversation })
}
