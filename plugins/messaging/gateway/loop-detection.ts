/**
 * Ends loops between programs that answer each other, whatever they say (RFC 3834, section 2, wants a limit for each
 * correspondent). Messages that are not answered count as well, so a continuing loop stays unanswered.
 */
import type { InboundMessage, Platform } from 'svc/sdk/platform'
import type { Config } from './config.ts'
import type { GatewayStore } from './store.ts'

/** `first`: this message exceeds the limit, and the chat is notified once; `silent`: a later one. */
export type Braked = 'first' | 'silent'

const MINUTE_MS = 60_000

/** Whether the chat had too many messages. `counted` is how many it had within the window, without this one. */
export function findLoopAction(counted: number, most: number): Braked | undefined {
  if (most === 0 || counted < most) return undefined
  return counted === most ? 'first' : 'silent'
}

/** A message that was not pressed or typed before `at`, in the chat with the key `talk`. */
export function findLoop(
  { platform, message, talk, at }: { platform: Platform; message: InboundMessage; talk: string; at: number },
  store: Pick<GatewayStore, 'came'>,
  config: Pick<Config, 'loop_minutes' | 'loop_messages' | 'loop_messages_unattended'>,
): Braked | undefined {
  if (platform.isEvents || message.press !== undefined) return undefined
  const isUnattended = message.isBot === true || platform.limits.unattended === true
  const most = isUnattended ? config.loop_messages_unattended : config.loop_messages
  return findLoopAction(store.came(talk, at - config.loop_minutes * MINUTE_MS), most)
}
