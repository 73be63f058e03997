/** Moves a session from the chat that shows it to another one. */
import { Clock, Home, type PluginContext, SvcError } from 'svc/sdk'
import { type Gateway, type GatewayChat, type PlatformStatus, Platforms } from 'svc/sdk/platform'
import { bindingFromRow, type ChatRegistry } from './chat-registry.ts'
import type { Config } from './config.ts'
import { getChatKey } from './session-keys.ts'
import type { ChatBinding, GatewayStore } from './store.ts'

export interface MovingDeps {
  readonly ctx: PluginContext<Config>
  readonly store: Pick<GatewayStore, 'findBindingBySession' | 'findBinding' | 'moveBinding'>
  readonly chats: Pick<ChatRegistry, 'hasTurns' | 'rebound'>
  status(): readonly PlatformStatus[]
}

/** Contract: `Gateway.findChat` of the SDK. */
export function findChat(
  { store }: Pick<MovingDeps, 'store'>,
  session: string,
  when: 'now' | 'last' = 'now',
): GatewayChat | undefined {
  const binding = store.findBindingBySession(session)
  if (!binding || (when === 'now' && binding.session !== session)) return undefined
  const { platform, chat: chatId, thread, kind, name } = binding
  return { platform, chatId, kind, name, ...(thread !== null && { threadId: thread }) }
}

/** Contract: `Gateway.moveSession` of the SDK. */
export function moveSession(deps: MovingDeps, session: string, message: Parameters<Gateway['moveSession']>[1]): void {
  const { ctx, store, chats } = deps
  const from = store.findBindingBySession(session)
  if (!from || from.session !== session) throw createRefusal('no chat shows it any more')
  const platform = ctx.all(Platforms).get(message.platform)
  const isEvents = platform?.isEvents === true || ctx.all(Platforms).get(from.platform)?.isEvents === true
  if (!platform || isEvents) throw createRefusal(`${message.platform} is no platform on which people write`)
  const talk = getChatKey(message, ctx.use(Home).profile, platform.settings)
  const to: ChatBinding = bindingFromRow({ talk, message })
  if (talk === from.talk) throw createRefusal('it is in this chat already')
  // Elsewhere another gateway may write to the same chats.
  for (const name of [from.platform, to.platform])
    if (deps.status().find((each) => each.name === name)?.state !== 'connected')
      throw createRefusal(`${name} is not connected in this gateway`)
  if (chats.hasTurns(from.talk)) throw createRefusal('an answer is under way in it')
  if (chats.hasTurns(talk)) throw createRefusal('an answer is under way here')
  store.moveBinding(from, to, ctx.use(Clock).now())
  chats.rebound(from.talk)
  chats.rebound(talk)
}

function createRefusal(reason: string): SvcError {
  return new SvcError('GATEWAY_MOVE', `The conversation was not moved: ${reason}.`, { status: 409 })
}
