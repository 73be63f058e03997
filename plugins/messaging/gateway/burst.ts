/** Words that belong together: those that come in quick succession, and those that the client of a platform cut in two. */
import type { Clock, Disposer, PlatformLimits } from 'svc/sdk'
import type { InboxRow } from './store.ts'

const MERGE_MS = 350
const MERGE_MOST_MS = 1000
const MAX_MERGED = 100
/** So long the rest of a text is waited for that fills a message. */
const SPLIT_MS = 2000
/** Clients cut at the end of a word or line, so a full message is a little shorter than it might be. */
const SPLIT_SLACK = 100

export class Burst {
  readonly #clock: Clock
  readonly #limits: PlatformLimits
  readonly #whole: (rows: readonly InboxRow[]) => void
  #rows: InboxRow[] = []
  #since = 0
  #timer: Disposer | undefined

  /** `whole` is given the rows once no more of them come. */
  constructor(clock: Clock, limits: PlatformLimits, whole: (rows: readonly InboxRow[]) => void) {
    this.#clock = clock
    this.#limits = limits
    this.#whole = whole
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** Whether more of the same text is to be expected. */
  isCut({ message: { text } }: InboxRow): boolean {
    const { maxTextLength, measure = 'utf16' } = this.#limits
    return maxTextLength > 2 * SPLIT_SLACK && lengthOf(text, measure) >= maxTextLength - SPLIT_SLACK
  }

  add(row: InboxRow): void {
    const now = this.#clock.now()
    if (this.isEmpty) this.#since = now
    this.#rows.push(row)
    void this.#timer?.()
    const left = this.isCut(row) ? SPLIT_MS : Math.min(MERGE_MS, this.#since + MERGE_MOST_MS - now)
    if (left <= 0 || this.#rows.length >= MAX_MERGED) this.flush()
    else this.#timer = this.#clock.after(left, () => this.flush(), { background: true })
  }

  flush(): void {
    const rows = this.take()
    if (rows.length > 0) this.#whole(rows)
  }

  /** Returns the waiting messages and drops them from the queue. */
  take(): readonly InboxRow[] {
    void this.#timer?.()
    this.#timer = undefined
    return this.#rows.splice(0)
  }
}

function lengthOf(text: string, measure: NonNullable<PlatformLimits['measure']>): number {
  if (measure === 'bytes') return Buffer.byteLength(text)
  return measure === 'codepoints' ? [...text].length : text.length
}
