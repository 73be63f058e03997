/** Runs a message in a conversation of its own, until all that comes of it is over. */
import { type ConversationSettings, Conversations, type PluginContext, Secrets } from 'svc/sdk'
import type { McpClientCall } from 'svc/sdk/mcp'
import { ClientFront } from './client-front.ts'
import type { Config } from './config.ts'
import { ownSession } from './rights.ts'

export interface TurnOrder {
  readonly text: string
  readonly cwd: string
  readonly sessionId?: string
  readonly settings?: ConversationSettings
  readonly temporary?: boolean
}

/** The front end as it is at the end, and the session. Stops the turn when the call is cancelled. */
export async function runTurn(
  ctx: PluginContext<Config>,
  { text, ...order }: TurnOrder,
  call: McpClientCall,
): Promise<{ readonly front: ClientFront; readonly sessionId: string }> {
  const front = new ClientFront(call, { log: ctx.log, mask: (masked) => ctx.use(Secrets).mask(masked) })
  const conversation = ctx.use(Conversations).start(front, order)
  if (order.sessionId === undefined && !order.temporary) ownSession(ctx, call.client, conversation.sessionId)
  const stop = () => {
    for (const { id } of conversation.queue) conversation.unqueue(id)
    conversation.stop()
  }
  call.signal.addEventListener('abort', stop)
  try {
    if (!call.signal.aborted) conversation.send(text, { whenBusy: 'queue', source: 'person' })
    await conversation.idle()
    return { front, sessionId: conversation.sessionId }
  } finally {
    call.signal.removeEventListener('abort', stop)
    await conversation.close()
  }
}
