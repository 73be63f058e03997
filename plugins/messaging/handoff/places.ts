/** Chats as this plugin stores and names them. */
import type { InboundMessage, MessageOrigin } from 'svc/sdk/platform'
import { z } from 'zod'

/** What of a message names its chat and its sender. */
export const originSchema = z.object({
  platform: z.string(),
  chatId: z.string(),
  threadId: z.string().optional(),
  userId: z.string(),
  chatKind: z.enum(['dm', 'group', 'channel']).optional(),
  chatName: z.string().optional(),
  userName: z.string().optional(),
})
export type Origin = z.infer<typeof originSchema>

/** A chat, or a thread in it. */
export type Place = Pick<Origin, 'platform' | 'chatId' | 'threadId'>

/** Without what a message has besides, and without what is undefined. */
export function toOrigin(
  by: Origin | MessageOrigin,
): MessageOrigin & Partial<Pick<InboundMessage, 'chatName' | 'userName'>> {
  const { platform, chatId, threadId, userId, chatKind, chatName, userName } = by as Origin
  return {
    ...{ platform, chatId, userId },
    ...(threadId !== undefined && { threadId }),
    ...(chatKind !== undefined && { chatKind }),
    ...(chatName !== undefined && { chatName }),
    ...(userName !== undefined && { userName }),
  }
}
