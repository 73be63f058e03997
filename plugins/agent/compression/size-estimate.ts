/** How large the requests of a session really are: estimates, corrected by what the provider counts. */

/** A count further below the estimate than this is ignored: some servers report wrong numbers. */
const LEAST_RATIO = 0.25
const MAX_RATIO = 4

/** What is known before a request. */
interface Before {
  readonly turnId: string
  readonly estimate: number
  /** What the last call of the turn read, as its provider says. */
  readonly counted: number | undefined
  /** Growth since a compression that nothing is estimated for. */
  readonly slack: number
}

/** What that comes to. */
interface Reading {
  /** Undefined where a rough estimate is not to be trusted yet. */
  readonly size: number | undefined
  /** The count, when it is new and makes sense. */
  readonly counted: number | undefined
  /** What was counted after a compression, once. */
  readonly effect: number | undefined
}

/** Of one session, in one process. */
export class Gauge {
  #ratio: number | undefined
  /** Of the last request. */
  #estimate: number | undefined
  #turnId: string | undefined
  /** A count that was made before a compression says nothing about what is read after it. */
  #stale: number | undefined
  /** A compression whose effect was not measured yet. */
  #isAwaited = false
  /** The estimate after a compression, until the provider has counted. */
  #baseline: number | undefined

  /** Takes in what is known before a request. */
  read(request: Before): Reading {
    const { turnId, estimate } = request
    const counted = request.counted === this.#stale ? undefined : request.counted
    const of = this.#turnId === turnId ? this.#estimate : undefined
    this.#turnId = turnId
    this.#estimate = estimate
    if (counted === undefined) {
      const isSettled = this.#baseline !== undefined && estimate - this.#baseline <= request.slack
      return { size: isSettled ? undefined : this.#corrected(estimate), counted: undefined, effect: undefined }
    }
    this.#stale = undefined
    this.#baseline = undefined
    const ratio = of === undefined || of === 0 ? undefined : counted / of
    const isSense = ratio === undefined ? counted >= estimate * LEAST_RATIO : ratio >= LEAST_RATIO
    if (!isSense) return { size: this.#corrected(estimate), counted: undefined, effect: undefined }
    if (ratio !== undefined) this.#ratio = Math.min(ratio, MAX_RATIO)
    const effect = this.#isAwaited ? counted : undefined
    this.#isAwaited = false
    return { size: ratio === undefined ? Math.max(estimate, counted) : this.#corrected(estimate), counted, effect }
  }

  /** The session was compressed; the request has this estimate now. */
  compressed(estimate: number, counted: number | undefined): void {
    this.#estimate = estimate
    this.#stale = counted
    this.#isAwaited = true
    this.#baseline = estimate
  }

  #corrected(estimate: number): number {
    return Math.round(estimate * (this.#ratio ?? 1))
  }
}
