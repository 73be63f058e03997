/**
 * Which messages become one: those that come in quick succession, and those that the client of a platform cut in two. `isToMerge`
 * and `merge` decide it and are pure; `WaitingBurst` waits as they say.
 */
import type { Clock, Dispose } from 'svc/sdk'
import type { PlatformLimits } from 'svc/sdk/platform'
import type { InboxRow } from './store.ts'

const MERGE_MS = 350
const MERGE_LIMIT_MS = 1000
const MAX_MERGED = 100
/** How long the rest of a text that fills a message is waited for. */
const SPLIT_MS = 2000
/** Clients cut at the end of a word or line, so a full message is a little shorter than it might be. */
const SPLIT_SLACK = 100

/** Messages that wait for more, oldest first. */
export interface Burst {
  readonly rows: readonly InboxRow[]
  /** When the first one came, in milliseconds. */
  readonly since: number
}

/** Nothing waits. */
export const emptyBurst: Burst = { rows: [], since: 0 }

type Limits = Pick<PlatformLimits, 'maxTextLength' | 'measure'>

/** Whether a message of an idle chat waits: something waits already, files come one by one, or its text seems to be cut. */
export function isToMerge({ rows }: Burst, row: InboxRow, limits: Limits): boolean {
  const { press, files } = row.message
  return press === undefined && (rows.length > 0 || Boolean(files?.length) || isCut(row, limits))
}

/** The burst with one more message, and how many milliseconds it waits for the next one; 0: it is complete. */
export function merge(
  burst: Burst,
  row: InboxRow,
  now: number,
  limits: Limits,
): { readonly burst: Burst; readonly waitMs: number } {
  const since = burst.rows.length === 0 ? now : burst.since
  const rows = [...burst.rows, row]
  const left = isCut(row, limits) ? SPLIT_MS : Math.min(MERGE_MS, since + MERGE_LIMIT_MS - now)
  return { burst: { rows, since }, waitMs: rows.length >= MAX_MERGED ? 0 : Math.max(0, left) }
}

/** Whether more of the same text is to be expected. */
function isCut({ message: { text } }: InboxRow, { maxTextLength, measure = 'utf16' }: Limits): boolean {
  return maxTextLength > 2 * SPLIT_SLACK && measureLength(text, measure) >= maxTextLength - SPLIT_SLACK
}

function measureLength(text: string, measure: NonNullable<PlatformLimits['measure']>): number {
  if (measure === 'bytes') return Buffer.byteLength(text)
  return measure === 'codepoints' ? [...text].length : text.length
}

/** The burst of one chat, with its timer. */
export class WaitingBurst {
  readonly #clock: Clock
  readonly #complete: (rows: readonly InboxRow[]) => void
  #burst: Burst = emptyBurst
  #timer: Dispose | undefined

  /** `complete` gets the messages once no more of them come. */
  constructor(clock: Clock, complete: (rows: readonly InboxRow[]) => void) {
    this.#clock = clock
    this.#complete = complete
  }

  get burst(): Burst {
    return this.#burst
  }

  add(row: InboxRow, limits: Limits): void {
    const { burst, waitMs } = merge(this.#burst, row, this.#clock.now(), limits)
    this.#burst = burst
    void this.#timer?.()
    if (waitMs === 0) this.flush()
    else this.#timer = this.#clock.after(waitMs, () => this.flush(), { background: true })
  }

  /** Waits no longer. */
  flush(): void {
    const rows = this.take()
    if (rows.length > 0) this.#complete(rows)
  }

  /** Returns the waiting messages and drops them. */
  take(): readonly InboxRow[] {
    const { rows } = this.#burst
    void this.#timer?.()
    this.#timer = undefined
    this.#burst = emptyBurst
    return rows
  }
}
