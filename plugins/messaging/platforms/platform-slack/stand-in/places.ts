/** Channels and people of the stand-in for Slack, and what is refused in a channel. */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { failed, type SlackMessage, type SlackWords } from './rules.ts'

export class SlackPlaces {
  /** Those that are there; the app is in them until it is removed. */
  readonly #channels: Map<string, 'in' | 'out'> = new Map()
  readonly #people: Set<string> = new Set()
  readonly #members: Set<string> = new Set()

  add(chatId: string, userId: string): void {
    if (!this.#channels.has(chatId)) this.#channels.set(chatId, 'in')
    this.#people.add(userId)
    this.#members.add(`${chatId} ${userId}`)
  }

  /** The app is removed from the channel. */
  leave(chatId: string): void {
    this.#channels.set(chatId, 'out')
  }

  /** The service's word for why nothing can be said, or read, there. */
  wrong(channel: string | undefined): string | undefined {
    const state = this.#channels.get(channel ?? '')
    if (state === undefined) return 'channel_not_found'
    return state === 'out' ? 'not_in_channel' : undefined
  }

  isIn(channel: string | undefined, userId: string): boolean {
    return this.#members.has(`${channel} ${userId}`)
  }

  person(userId: string | undefined): ServiceAnswer {
    if (!this.#people.has(userId ?? '')) return failed('user_not_found')
    return { body: { ok: true, user: { id: userId, name: 'ada', profile: { display_name: 'Ada' } } } }
  }
}

/** `ts` is that of a message in the channel. */
export function wrongThread(
  { channel, ts }: { readonly channel: string | undefined; readonly ts: string | undefined },
  said: readonly (SlackMessage | SlackWords)[],
): string | undefined {
  if (ts === undefined || said.some((each) => each.ts === ts && each.channel === channel)) return undefined
  return 'thread_not_found'
}
