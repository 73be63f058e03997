/** What the server's answers say about a message that was sent. */

import { type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import { deliveryBusy, deliveryRefused, deliveryUncertain, type SendReceipt } from 'svc/sdk/platform'
import type { Answered, IrcClient } from './client.ts'

/** A message that left. */
export interface Sent extends Answered {
  readonly target: string
  readonly client: IrcClient
}

/**
 * RPL_TRYAGAIN and ERR_TARGETTOOFAST: the server is rate-limiting. 499 and the rest: see `refusals`. The words of the
 * second name the seconds (RFC 2812 section 5, modern.ircdocs.horse/#numerics).
 */
const hurries = ['263', '439']
/**
 * ERR_NOSUCHNICK, ERR_NOSUCHCHANNEL, ERR_CANNOTSENDTOCHAN, ERR_TOOMANYTARGETS, ERR_NORECIPIENT to ERR_BADMASK,
 * ERR_NOTONCHANNEL, ERR_NEEDREGGEDNICK, ERR_ACCEPT and others that name the target.
 */
const refusals = /^(40[1-7]|41[1-7]|421|442|451|461|477|48[1-9]|49\d|531|71[6-8])$/

/** The receipt when the server showed the message; undefined when it only took it. Throws what the answers mean. */
export function readReceipt({ outcome, answers, target, client }: Sent): SendReceipt | undefined {
  if (outcome === 'unsent')
    throw deliveryBusy(
      'IRC_DISCONNECTED',
      'The IRC connection ended before the message was sent. It is re-established automatically.',
    )
  const complaint = answers.find((answer) => isAbout(answer, target, client) && !!classifyRefusal(answer))
  if (complaint) throw failure(complaint, target)
  if (outcome !== 'answered')
    throw deliveryUncertain(
      'IRC_UNANSWERED',
      'The IRC connection ended before the server answered. Look whether the message arrived.',
    )
  // In a batch are messages of another time.
  const echo = answers.find(
    ({ command, prefix, tags }) =>
      command === 'PRIVMSG' && client.isOwn(parseIrcNickname(prefix)) && !tags.has('batch'),
  )
  const messageId = echo?.tags.get('msgid')
  return messageId === undefined ? undefined : { messageId }
}

function isAbout({ command, params }: IrcMessage, target: string, client: IrcClient): boolean {
  if (command === 'FAIL') return params[0] === 'PRIVMSG'
  const named = params.slice(1, -1).map((each) => client.fold(each))
  return named.includes(client.fold(target)) || named.includes(client.fold('PRIVMSG'))
}

/** FAIL is of IRCv3 (ircv3.net/specs/extensions/standard-replies). */
function classifyRefusal({ command, params }: IrcMessage): 'busy' | 'refused' | undefined {
  if (command === 'FAIL') return /RATE|TRY_AGAIN|TEMPORAR/.test(params[1] ?? '') ? 'busy' : 'refused'
  if (hurries.includes(command)) return 'busy'
  return refusals.test(command) ? 'refused' : undefined
}

function failure(complaint: IrcMessage, target: string): Error {
  const words = complaint.params.at(-1) ?? ''
  if (classifyRefusal(complaint) === 'refused')
    return deliveryRefused(
      'IRC_REFUSED',
      `The IRC server did not take a message to ${target}: ${words} (${complaint.command}).`,
    )
  const seconds = Number(/(\d+) sec/i.exec(words)?.[1])
  const wait = seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}
  return deliveryBusy('IRC_BUSY', `The IRC server wants messages to ${target} to come more slowly: ${words}`, wait)
}
