/** Which conversation a message belongs to. */
import {
  type InboundMessage,
  type MessageOrigin,
  type PlatformSettings,
  platformSettingDefaults,
} from 'svc/sdk/platform'

/**
 * Alone: one for each chat and thread. With others: one for each user, unless the chat shares one; a thread is shared
 * unless the settings say otherwise.
 */
export function getChatKey(
  message: MessageOrigin,
  profile: string | undefined,
  settings: PlatformSettings = platformSettingDefaults,
): string {
  const { platform, chatId, chatKind = 'dm', threadId, userId } = message
  const isShared = threadId === undefined ? !settings.group_sessions_per_user : !settings.thread_sessions_per_user
  const parts = ['agent', profile ?? 'main', platform, chatKind, chatId]
  if (threadId !== undefined) parts.push(threadId)
  if (chatKind !== 'dm' && !isShared) parts.push(userId)
  return parts.map((part) => part.replaceAll(/[:%]/g, encodeURIComponent)).join(':')
}

/** Whether several people share the conversation. */
export function isShared(message: InboundMessage, settings: PlatformSettings = platformSettingDefaults): boolean {
  if ((message.chatKind ?? 'dm') === 'dm') return false
  return message.threadId === undefined ? !settings.group_sessions_per_user : !settings.thread_sessions_per_user
}
