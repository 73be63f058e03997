/**
 * Limits of guessing: ten attempts a minute from one address, and a pause behind five wrong passwords of one person, which doubles
 * with each further one and ends after a quarter of an hour at most. Attempts count before they are checked, so that many at once are
 * no way around it.
 */
import { isIPv6 } from 'node:net'
import { backoff } from 'svc/sdk/kit/async'

const ADDRESS_WINDOW_MS = 60_000
const MAX_OF_ADDRESS = 10
const FREE_OF_ACCOUNT = 5
const FIRST_PAUSE_MS = 30_000
const MAX_PAUSE_MS = 15 * 60_000
/** After this time without an attempt the count of a person begins at zero. */
const FORGET_MS = 60 * 60_000
/** Strangers choose names and addresses. */
const MAX_ENTRIES = 10_000

interface Account {
  readonly failures: number
  readonly lockedUntil: number
  readonly at: number
}

export class Attempts {
  readonly #now: () => number
  readonly #addresses = new Map<string, { readonly since: number; readonly count: number }>()
  readonly #accounts = new Map<string, Account>()

  /** `now`: milliseconds, never going back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts an attempt; milliseconds to wait if it may not be made, else 0. An attempt that has to wait changes nothing. */
  begin(address: string, account: string): number {
    const wait = Math.max(this.#waitOfAddress(getNetwork(address)), this.#waitOfAccount(account))
    if (wait > 0) return wait
    this.#countAddress(getNetwork(address))
    this.#countAccount(account)
    return 0
  }

  /** The password was right. */
  succeed(address: string, account: string): void {
    this.#accounts.delete(account)
    this.#addresses.delete(getNetwork(address))
  }

  #waitOfAddress(network: string): number {
    const entry = this.#addresses.get(network)
    if (!entry || entry.count < MAX_OF_ADDRESS) return 0
    return Math.max(0, entry.since + ADDRESS_WINDOW_MS - this.#now())
  }

  #waitOfAccount(account: string): number {
    return Math.max(0, (this.#accounts.get(account)?.lockedUntil ?? 0) - this.#now())
  }

  #countAddress(network: string): void {
    const now = this.#now()
    const known = this.#addresses.get(network)
    const isOpen = known !== undefined && now - known.since < ADDRESS_WINDOW_MS
    put(this.#addresses, network, isOpen ? { ...known, count: known.count + 1 } : { since: now, count: 1 })
  }

  #countAccount(account: string): void {
    const now = this.#now()
    const known = this.#accounts.get(account)
    const failures = (known && now - known.at < FORGET_MS ? known.failures : 0) + 1
    const over = failures - FREE_OF_ACCOUNT
    const pause = over < 0 ? 0 : backoff({ firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS }, over + 1)
    put(this.#accounts, account, { failures, lockedUntil: now + pause, at: now })
  }
}

/** As the newest; the oldest goes. */
function put<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key)
  entries.set(key, value)
  const [oldest] = entries.size > MAX_ENTRIES ? entries.keys() : []
  if (oldest !== undefined) entries.delete(oldest)
}

/** A customer has a /64 of IPv6 at least (RFC 6177). */
function getNetwork(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const missing = address.includes('::') ? Math.max(0, 8 - before.length - after.length) : 0
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after].slice(0, 4).join(':')
}
