/** `setMessageReaction` (https://core.telegram.org/bots/api#setmessagereaction): one emoji, out of a fixed set. */
import type { ServiceAnswer, StandInReactions } from 'svc/sdk/kit/stand-in'
import { refusal } from './answers.ts'

/** https://core.telegram.org/bots/api#reactiontypeemoji, those with one code point; neither a tick nor a cross is among them. */
const EMOJI = [
  ...'👍👎🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡',
]

/** Sets it; `isThere` says whether the message is in the chat. */
export function setReaction(
  params: Readonly<Record<string, unknown>>,
  isThere: boolean,
  reactions: StandInReactions,
): ServiceAnswer {
  const given = params['reaction'] ?? []
  if (!Array.isArray(given)) return refusal(400, "Bad Request: can't parse reaction types JSON object")
  if (given.length > 1) return refusal(400, 'Bad Request: REACTIONS_TOO_MANY')
  if (!isThere) return refusal(400, 'Bad Request: message to react not found')
  const [first] = given as { readonly type?: unknown; readonly emoji?: unknown }[]
  const emoji = first?.type === 'emoji' ? String(first.emoji) : undefined
  if (first && (emoji === undefined || !EMOJI.includes(emoji))) return refusal(400, 'Bad Request: REACTION_INVALID')
  reactions.replace(String(params['message_id']), emoji)
  return { body: { ok: true, result: true } }
}
