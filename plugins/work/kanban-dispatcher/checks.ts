/** What checks need, and what they find. */
import type { Clock, Logger, NetResponse } from 'svc/sdk'

/** What was found. */
export interface CheckResult {
  readonly isMet: boolean
  /** For people; the first line is kept. */
  readonly detail: string
}

export interface CheckDeps {
  readonly clock: Pick<Clock, 'after' | 'now'>
  readonly log: Pick<Logger, 'info'>
  /** Of commands. */
  readonly environment: Readonly<Record<string, string>>
  /** Throws where the address may not be asked. */
  readonly ask: (url: string, signal: AbortSignal) => Promise<Pick<NetResponse, 'status' | 'text' | 'close'>>
  /** Milliseconds for each check, unless it has a time of its own. */
  readonly timeoutMs: number
  /** Replaces secrets. */
  readonly mask: (text: string) => string
  /** Called before each check. */
  readonly beforeEach?: () => Promise<void>
}
