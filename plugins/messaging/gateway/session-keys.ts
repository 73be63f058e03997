/** Which conversation a message belongs to. */
import { type Inbound, type PlatformSettings, platformDefaults } from 'svc/sdk'

/**
 * Alone: one for each chat and thread. With others: one for each user, unless the chat shares one; a thread is shared
 * unless the settings say otherwise.
 */
export function talkKey(
  message: Inbound,
  profile: string | undefined,
  settings: PlatformSettings = platformDefaults,
): string {
  const { platform, chatId, chatKind = 'dm', threadId, userId } = message
  const isShared = threadId === undefined ? !settings.group_sessions_per_user : !settings.thread_sessions_per_user
  const parts = ['agent', profile ?? 'main', platform, chatKind, chatId]
  if (threadId !== undefined) parts.push(threadId)
  if (chatKind !== 'dm' && !isShared) parts.push(userId)
  return parts.map((part) => part.replaceAll(/[:%]/g, encodeURIComponent)).join(':')
}

/** Whether several people share the conversation. */
export function isShared(message: Inbound, settings: PlatformSettings = platformDefaults): boolean {
  if ((message.chatKind ?? 'dm') === 'dm') return false
  return message.threadId === undefined ? !settings.group_sessions_per_user : !settings.thread_sessions_per_user
}
