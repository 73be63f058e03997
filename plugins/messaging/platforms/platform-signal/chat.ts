/** Ids: a chat is a person or a group, a message is its author and its time (man signal-cli, "RECIPIENT"). */

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The recipient of a request. A person is an account id or a number; everything else is a group. */
export function toTarget(chatId: string): { readonly recipient: readonly [string] } | { readonly groupId: string } {
  const isPerson = UUID.test(chatId) || /^\+\d+$/.test(chatId) || /^(?:PNI|u):/.test(chatId)
  return isPerson ? { recipient: [chatId] } : { groupId: chatId }
}

/** Signal knows a message by when it was written, and by whom. */
export function messageId(timestamp: number, author: string): string {
  return `${timestamp}-${author}`
}

/** Undefined for an id of another format. */
export function parsedId(id: string): { readonly timestamp: number; readonly author: string } | undefined {
  const [, timestamp, author] = /^(\d+)-(.+)$/.exec(id) ?? []
  return timestamp && author ? { timestamp: Number(timestamp), author } : undefined
}
