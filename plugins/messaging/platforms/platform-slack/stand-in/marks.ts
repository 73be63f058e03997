/** Notes for one person and reactions (docs.slack.dev/reference/methods: chat.postEphemeral, reactions.add, reactions.remove). */
import { type ServiceAnswer, type StandInNotice, StandInReactions } from 'svc/sdk/kit/stand-in'
import { type SlackPlaces, wrongThread } from './places.ts'
import { failed } from './rules.ts'

type Form = Readonly<Record<string, string>>

/** Names of emoji that every workspace has, as far as they are used here. */
const EMOJI = ['eyes', 'white_check_mark', 'x', 'thumbsup', 'thumbsdown', 'tada']

export class SlackMarks {
  readonly reactions = new StandInReactions()
  readonly notices: StandInNotice[] = []
  readonly #places: SlackPlaces

  constructor(places: SlackPlaces) {
    this.#places = places
  }

  /** A note that only `user` sees. */
  note({ channel, user = '', text = '' }: Form): ServiceAnswer {
    const wrong = this.#places.wrong(channel) ?? (this.#places.isIn(channel, user) ? undefined : 'user_not_in_channel')
    if (wrong !== undefined || !text.trim()) return failed(wrong ?? 'no_text')
    this.notices.push({ userId: user, text })
    return { body: { ok: true, message_ts: '1.000001' } }
  }

  /** Statuses of threads, oldest first (.../assistant.threads.setStatus). */
  readonly statuses: string[] = []

  status(
    { channel_id: channel, thread_ts: ts, status = '' }: Form,
    said: Parameters<typeof wrongThread>[1],
  ): ServiceAnswer {
    const wrong = this.#places.wrong(channel) ?? wrongThread({ channel, ts }, said)
    if (wrong !== undefined) return failed(wrong)
    this.statuses.push(status)
    return { body: { ok: true } }
  }

  /** `isThere`: whether the message is in the channel. */
  mark(method: 'reactions.add' | 'reactions.remove', form: Form, isThere: boolean): ServiceAnswer {
    const { channel, timestamp = '', name = '' } = form
    const wrong = this.#places.wrong(channel)
    if (wrong !== undefined) return failed(wrong)
    if (!EMOJI.includes(name)) return failed('invalid_name')
    if (!isThere) return failed('message_not_found')
    if (method === 'reactions.add' && !this.reactions.add(timestamp, name)) return failed('already_reacted')
    if (method === 'reactions.remove' && !this.reactions.remove(timestamp, name)) return failed('no_reaction')
    return { body: { ok: true } }
  }
}
