/**
 * Marks on messages. A bot sets one reaction, out of a fixed set that has neither a tick nor a cross
 * (https://core.telegram.org/bots/api#reactiontypeemoji); a new one takes the place of the old.
 */
import type { MessageReaction, ReactionState } from 'svc/sdk/platform'
import type { Params } from './api.ts'
import { readMessageNumber } from './edits.ts'

const EMOJI: Readonly<Record<ReactionState, string>> = { working: '👀', done: '👍', failed: '👎' }

/** What `setMessageReaction` takes. */
export function createReaction({ chatId, messageId, state }: MessageReaction): Params {
  const reaction = state === undefined ? [] : [{ type: 'emoji', emoji: EMOJI[state] }]
  return { chat_id: chatId, message_id: readMessageNumber(messageId), reaction }
}
