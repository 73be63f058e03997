/** Long polling: https://core.telegram.org/bots/api#getupdates. */
import { type Clock, errorCode, errorMessage, type Logger } from 'svc/sdk'
import { deliveryBusy, type GatewayConnection, retryUntilTaken } from 'svc/sdk/platform'
import type { Refusal, TelegramApi } from './api.ts'
import type { EditMemory } from './edits.ts'
import { readFailure, strange } from './failures.ts'
import { takeUpdate } from './intake.ts'
import type { Topics } from './topics.ts'
import { type Self, UPDATES, type Update, updates } from './updates.ts'

/** Seconds that Telegram waits for a message before it answers with none. */
const POLL_S = 30
const POLL_ROOM_MS = 15_000
/** How long to wait when Telegram says that it is too fast and not for how long. */
const LONGEST_WAIT_MS = 30_000
/** An abandoned poll is ended by the next one, and both may get a conflict for a moment. */
const CONFLICT_WAITS_MS = [1000, 2000, 4000]

/** One connection. */
export interface Reading {
  readonly first: readonly Update[]
  readonly me: Self
  readonly link: GatewayConnection
  readonly topics: Topics
  readonly edits: EditMemory
  readonly editMinutes: number
  readonly signal: AbortSignal
}

/** Up to where a bot was read. */
interface ReadOffset {
  readonly bot: number
  readonly offset: number
  /** Of the monotonic clock. */
  readonly at: number
}

/** After a week without an update the numbering restarts at a random id. */
const STALE_MS = 6 * 86_400_000

/** Reads in order. Only accepted updates are confirmed to Telegram: others are delivered again on the next connection. */
export class Reader {
  readonly #api: TelegramApi
  readonly #clock: Pick<Clock, 'sleep' | 'monotonic'>
  readonly #log: Pick<Logger, 'warn'>
  #place: ReadOffset | undefined

  constructor(api: TelegramApi, clock: Pick<Clock, 'sleep' | 'monotonic'>, log: Pick<Logger, 'warn'>) {
    this.#api = api
    this.#clock = clock
    this.#log = log
  }

  /** Hands over messages until something fails, and throws that. */
  async read(reading: Reading): Promise<never> {
    const { link, me, signal } = reading
    const intake = { ...reading, api: this.#api, log: this.#log }
    const insisting = { clock: this.#clock, log: this.#log, signal }
    for (let list = reading.first; ; list = await this.updates(POLL_S, me, signal)) {
      link.alive()
      for (const update of list) {
        await retryUntilTaken(() => takeUpdate(update, intake), insisting)
        this.#place = { bot: me.id, offset: update.update_id + 1, at: this.#clock.monotonic() }
      }
    }
  }

  /** What waits at Telegram. A webhook that is left from another time ends with it: its messages wait here, too. */
  async begin(me: Self, signal: AbortSignal): Promise<readonly Update[]> {
    try {
      return await this.updates(0, me, signal)
    } catch (error) {
      if (errorCode(error) !== 'TELEGRAM_WEBHOOK') throw error
      this.#log.warn('The bot had a webhook. It is removed, because svc asks for its messages itself.')
      await this.#api.call('deleteWebhook', { drop_pending_updates: false }, { signal })
      return this.updates(0, me, signal)
    }
  }

  /** The next updates, after at most so many seconds. */
  async updates(seconds: number, me: Self, signal: AbortSignal): Promise<readonly Update[]> {
    for (let conflicts = 0; ; ) {
      const params = { timeout: seconds, allowed_updates: UPDATES, ...this.#getOffset(me) }
      const timeoutMs = seconds * 1000 + POLL_ROOM_MS
      const answer = await this.#api.call('getUpdates', params, { signal, timeoutMs }).catch((cause) => {
        signal.throwIfAborted()
        throw deliveryBusy('TELEGRAM_UNREACHABLE', `Telegram broke off: ${errorMessage(cause)}`, { cause })
      })
      if (!answer.refusal) return readList(answer.result)
      const wait = waitAfter(answer.refusal, conflicts++)
      if (wait === undefined) throw readFailure(answer.refusal)
      await this.#clock.sleep(wait, signal)
    }
  }

  /** Empty for another bot or a stale offset: Telegram has confirmed those updates already. */
  #getOffset(me: Self): { readonly offset?: number } {
    const { bot, offset, at } = this.#place ?? { bot: undefined, offset: 0, at: 0 }
    return bot === me.id && this.#clock.monotonic() - at < STALE_MS ? { offset } : {}
  }
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
