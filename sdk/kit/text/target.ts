/** Chats as targets of the outbox. */

/** A chat, or a thread in it, as `OutboxMessage.target` names it: `telegram:123`, `slack:C1:17`. @since 0.2 */
export function formatTarget({
  platform,
  chatId,
  threadId,
}: {
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string | undefined
}): string {
  return [platform, chatId, ...(threadId === undefined ? [] : [threadId])].join(':')
}
