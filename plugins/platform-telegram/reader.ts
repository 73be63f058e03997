/** Long polling: https://core.telegram.org/bots/api#getupdates. */
import { busy, type Clock, errorMessage, type Inbound, type PlatformLink } from 'svc/sdk'
import type { Refusal, TelegramApi } from './api.ts'
import { readFailure, strange } from './failures.ts'
import { inboundOf, pressOf } from './inbound.ts'
import { readUpdate, type Self, UPDATES, type Update, updates } from './updates.ts'

/** Seconds that Telegram waits for a message before it answers with none. */
const POLL_S = 30
const POLL_ROOM_MS = 15_000
/** How long to wait after a message that was not taken, at first and at most. */
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 30_000
/** A poll that was left behind is ended by the next one, and both may be told of a conflict for a moment. */
const CONFLICT_WAITS_MS = [1000, 2000, 4000]

/** One connection. */
export interface Reading {
  readonly first: readonly Update[]
  readonly me: Self
  readonly link: PlatformLink
  readonly signal: AbortSignal
}

/** Up to where a bot was read. */
interface Place {
  readonly bot: number
  readonly offset: number
  /** Of the monotonic clock. */
  readonly at: number
}

/** After a week without an update their numbers begin anew, anywhere. */
const STALE_MS = 6 * 86_400_000

/** Reads in order; what was not taken comes again, because Telegram is told only of what was. */
export class Reader {
  readonly #api: TelegramApi
  readonly #clock: Pick<Clock, 'sleep' | 'monotonic'>
  readonly #warn: (message: string) => void
  #place: Place | undefined

  constructor(api: TelegramApi, clock: Pick<Clock, 'sleep' | 'monotonic'>, warn: (message: string) => void) {
    this.#api = api
    this.#clock = clock
    this.#warn = warn
  }

  /** Hands over messages until something fails, and throws that. */
  async read(reading: Reading): Promise<never> {
    const { link, me, signal } = reading
    let waiting = FIRST_WAIT_MS
    for (let list = reading.first; ; list = await this.updates(POLL_S, me, signal)) {
      link.alive()
      if (await this.#handOver(list, reading)) waiting = FIRST_WAIT_MS
      else {
        await this.#clock.sleep(waiting, signal)
        waiting = Math.min(waiting * 2, LONGEST_WAIT_MS)
      }
    }
  }

  /** The next updates, after at most so many seconds. */
  async updates(seconds: number, me: Self, signal: AbortSignal): Promise<readonly Update[]> {
    for (let conflicts = 0; ; ) {
      const params = { timeout: seconds, allowed_updates: UPDATES, ...this.#offsetOf(me) }
      const timeoutMs = seconds * 1000 + POLL_ROOM_MS
      const answer = await this.#api.call('getUpdates', params, { signal, timeoutMs }).catch((cause) => {
        signal.throwIfAborted()
        throw busy('TELEGRAM_UNREACHABLE', `Telegram broke off: ${errorMessage(cause)}`, { cause })
      })
      if (!answer.refusal) return readList(answer.result)
      const wait = waitAfter(answer.refusal, conflicts++)
      if (wait === undefined) throw readFailure(answer.refusal)
      await this.#clock.sleep(wait, signal)
    }
  }

  /** Nothing for another bot, and nothing that has become stale: what was taken is confirmed by then. */
  #offsetOf(me: Self): { readonly offset?: number } {
    const { bot, offset, at } = this.#place ?? { bot: undefined, offset: 0, at: 0 }
    return bot === me.id && this.#clock.monotonic() - at < STALE_MS ? { offset } : {}
  }

  /** False when one was not taken: it and those behind it are asked for again. */
  async #handOver(list: readonly Update[], { me, link, signal }: Reading): Promise<boolean> {
    for (const update of list) {
      signal.throwIfAborted()
      const read = readUpdate(update)
      if (!read) this.#warn(`An update of Telegram could not be read: ${Object.keys(update).join(', ')}.`)
      const inbound = read?.message ? inboundOf(read.message, me) : read?.press && pressOf(read.press)
      if (inbound && !(await isTaken(link, inbound))) return false
      this.#place = { bot: me.id, offset: update.update_id + 1, at: this.#clock.monotonic() }
      // The button is shown as busy until then. It is pressed all the same when Telegram does not hear that.
      if (read?.press) void this.#api.call('answerCallbackQuery', { callback_query_id: read.press.id }).catch(() => {})
    }
    return true
  }
}

function isTaken(link: PlatformLink, message: Inbound): Promise<boolean> {
  return link.receive(message).then(
    () => true,
    () => false,
  )
}

/** Milliseconds after which a refused poll may be tried again; undefined when it is over. */
function waitAfter({ status, description, retryAfterMs }: Refusal, conflicts: number): number | undefined {
  if (status === 429) return retryAfterMs ?? LONGEST_WAIT_MS
  return status === 409 && !/webhook/i.test(description) ? CONFLICT_WAITS_MS[conflicts] : undefined
}

function readList(result: unknown): readonly Update[] {
  const { data } = updates.safeParse(result)
  if (!data) throw strange()
  return data
}
