/** Presses and commands that wait to be acknowledged (discord.com/developers/docs/interactions/receiving-and-responding). */
import type { ServiceAnswer, StandInNotice } from 'svc/sdk/kit/stand-in'
import { problem, wrongForm } from './problems.ts'

const PRESS = 3
/** Kinds of callbacks: what may answer a press, and what may answer a command. */
const FOR_PRESSES = [4, 5, 6, 7, 9, 12]
const FOR_COMMANDS = [4, 5, 9, 12]
const MESSAGE = 4
const EPHEMERAL = 64
/** Those that leave a note, which can be taken away. */
const NOTES = [4, 5]

interface Waiting {
  readonly token: string
  readonly kind: number
  readonly userId: string
  hasNote: boolean
}

export class DiscordInteractions {
  readonly callbacks: { id: string; type: number }[] = []
  readonly notices: StandInNotice[] = []
  readonly #known: Map<string, Waiting> = new Map()

  /** An event that can be acknowledged. */
  add({ id, token, type, user, member }: Readonly<Record<string, unknown>>): void {
    const who = (user ?? (member as { user?: unknown } | undefined)?.user ?? {}) as { id?: unknown }
    this.#known.set(String(id), { token: String(token), kind: Number(type), userId: String(who.id), hasNote: false })
  }

  /** `POST /interactions/<id>/<token>/callback`. */
  acknowledge(call: string, body: unknown): ServiceAnswer {
    const [, , id = '', token = ''] = call.split('/')
    const waiting = this.#known.get(id)
    if (!waiting || waiting.token !== token) return problem(404, 'Unknown interaction', 10062)
    if (this.callbacks.some((each) => each.id === id))
      return problem(400, 'Interaction has already been acknowledged.', 40060)
    const { type, data } = (body ?? {}) as { type?: unknown; data?: { content?: unknown; flags?: unknown } }
    if (type === undefined) return wrongForm(['type'], 'BASE_TYPE_REQUIRED', 'This field is required')
    const allowed = waiting.kind === PRESS ? FOR_PRESSES : FOR_COMMANDS
    if (!allowed.includes(Number(type)))
      return wrongForm(['type'], 'BASE_TYPE_CHOICES', `Value must be one of (${allowed.join(', ')}).`)
    if (type === MESSAGE) {
      const text = String(data?.content ?? '')
      if (!text) return problem(400, 'Cannot send an empty message', 50006)
      // Others would see it.
      if (data?.flags !== EPHEMERAL) return problem(400, 'This stand-in wants notes for one person only.', 0)
      this.notices.push({ userId: waiting.userId, text })
    }
    this.callbacks.push({ id, type: Number(type) })
    waiting.hasNote = NOTES.includes(Number(type))
    return { status: 204 }
  }

  /** `DELETE /webhooks/<application>/<token>/messages/@original`. */
  takeAway(call: string, application: string): ServiceAnswer {
    const [, , id, token, ...rest] = call.split('/')
    const waiting = [...this.#known.values()].find((each) => each.token === token)
    if (!waiting || id !== application) return problem(404, 'Unknown Webhook', 10015)
    if (!waiting.hasNote || rest.join('/') !== 'messages/@original') return problem(404, 'Unknown Message', 10008)
    waiting.hasNote = false
    return { status: 204 }
  }
}
