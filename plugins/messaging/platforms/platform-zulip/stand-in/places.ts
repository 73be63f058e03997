/** Where messages of a stand-in are: channels with topics, and direct messages of some people. */
import { createHash } from 'node:crypto'
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { wrong } from './answers.ts'
import type { Stored } from './history.ts'

export type Place = Pick<Stored, 'type' | 'stream_id' | 'subject' | 'display_recipient'>

const MAX_TOPIC_LENGTH = 60

export class Places {
  readonly #ownId: number
  readonly #channels: Map<number, string> = new Map()

  constructor(ownId: number) {
    this.#ownId = ownId
  }

  addChannel(name: string): number {
    const id = createId(`#${name}`)
    this.#channels.set(id, name)
    return id
  }

  hasChannel(id: unknown): boolean {
    return this.#channels.has(id as number)
  }

  toChannel(id: number, topic: string): Place {
    return { type: 'stream', stream_id: id, subject: topic, display_recipient: this.#channels.get(id) ?? '' }
  }

  /** With all of these and the bot. */
  toDirect(others: readonly number[]): Place {
    const ids = [...new Set([...others, this.#ownId])].sort((one, two) => one - two)
    return { type: 'private', subject: '', display_recipient: ids.map((id) => ({ id })) }
  }

  /** As svc names it. */
  nameChat({ stream_id, display_recipient: recipients }: Place): string {
    if (typeof recipients === 'string') return `channel:${stream_id}`
    const others = recipients.map(({ id }) => id).filter((id) => id !== this.#ownId)
    return `dm:${others.join(',')}`
  }

  /** Where a message is to be sent; `hasUser` says which people there are. */
  find(form: URLSearchParams, hasUser: (id: unknown) => boolean): { place: Place } | { refusal: ServiceAnswer } {
    const to = parseJson(form.get('to'))
    const [type, topic = ''] = [form.get('type'), form.get('topic')?.trim()]
    if (type === 'direct' || type === 'private') {
      if (!Array.isArray(to) || to.length === 0) return { refusal: wrong('Message must have recipients') }
      const strange: unknown = to.find((id) => !hasUser(id))
      if (strange === undefined) return { place: this.toDirect(to as number[]) }
      return { refusal: wrong(`Invalid user ID ${String(strange)}`) }
    }
    if (type !== 'stream' && type !== 'channel') return { refusal: wrong('Invalid message type') }
    if (!this.hasChannel(to)) {
      const more = { code: 'STREAM_DOES_NOT_EXIST', stream_id: to }
      return { refusal: wrong(`Channel with ID '${String(to)}' does not exist`, more) }
    }
    if (topic === '') return { refusal: wrong("Missing 'topic' argument") }
    return { place: this.toChannel(to as number, topic.slice(0, MAX_TOPIC_LENGTH)) }
  }
}

/** Ids of Zulip are numbers; a name has always the same. */
export function createId(name: string): number {
  if (/^\d+$/.test(name)) return Number(name)
  return createHash('sha256').update(name).digest().readUInt32BE() + 10_000
}

export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
