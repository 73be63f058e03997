/** A key as the pool works with it, wherever it comes from. */
import type { StoredKey } from './stored-keys.ts'

/** How a key stands; it holds for these very characters only. */
export interface Standing {
  readonly key: string
  readonly status: StoredKey['last_status']
  readonly at: number
  readonly resetAt?: number
  readonly error?: string
  readonly code?: string
}

/** A key that `take` may hand out. */
export interface Key extends Pick<Standing, 'key' | 'status' | 'resetAt' | 'error'> {
  readonly id: string
  readonly provider: string
  readonly label: string
  readonly baseUrl?: string
  readonly requests: number
  readonly account?: string
  /**
   * `pool`: of this home's file; `root`: of the file of the default profile; `variable`: of the environment or .env; `ambient`: who
   * this machine is.
   */
  readonly home: 'pool' | 'root' | 'variable' | 'ambient'
  /** What it was signed in with; undefined for a typed key. */
  readonly stored?: StoredKey
}

/** A key of a file. */
export function fromStored(provider: string, stored: StoredKey, home: 'pool' | 'root'): Key {
  const { id, label, access_token, account, base_url, last_status, last_error_message, last_error_reset_at } = stored
  return {
    id,
    provider,
    label: label ?? id,
    key: access_token,
    status: last_status ?? 'ok',
    requests: stored.request_count ?? 0,
    home,
    stored,
    ...(base_url === undefined ? {} : { baseUrl: base_url }),
    ...(account === undefined ? {} : { account }),
    ...(last_error_reset_at === undefined ? {} : { resetAt: last_error_reset_at }),
    ...(last_error_message === undefined ? {} : { error: last_error_message }),
  }
}

/** Whether it may be used at this moment. */
export function isReady({ status, resetAt }: Pick<Key, 'status' | 'resetAt'>, now: number): boolean {
  return status === 'ok' || (status === 'exhausted' && (resetAt ?? 0) <= now)
}

/** Writes a standing into the file's entry, unless that holds another key by now. */
export function writeStanding(stored: StoredKey, standing: Standing): void {
  if (stored.access_token !== standing.key) return
  stored.last_status = standing.status
  stored.last_status_at = standing.at
  setOrRemove(stored, 'last_error_reset_at', standing.resetAt)
  setOrRemove(stored, 'last_error_message', standing.error)
  setOrRemove(stored, 'last_error_code', standing.code)
}

/** Makes a key usable again. */
export function clearStanding(stored: StoredKey): void {
  writeStanding(stored, { key: stored.access_token, status: 'ok', at: stored.last_status_at ?? 0 })
}

function setOrRemove<Name extends keyof StoredKey>(stored: StoredKey, name: Name, value: StoredKey[Name] | undefined) {
  if (value === undefined) delete stored[name as keyof object]
  else stored[name] = value
}
