/** `auth.json` as it stands on the disk. What is not known here is kept as it is. */
import { SvcError } from 'svc/sdk'

/** One key of the pool. */
export interface StoredKey {
  readonly id: string
  label: string
  readonly auth_type: 'api_key' | 'oauth'
  priority: number
  readonly source: string
  access_token: string
  refresh_token?: string
  /** Milliseconds since 1970, as all times of the file. */
  expires_at?: number
  account?: string
  base_url?: string
  last_status: 'ok' | 'exhausted' | 'dead'
  last_status_at?: number
  last_error_code?: string
  last_error_message?: string
  last_error_reset_at?: number
  request_count: number
}

/** A key that was taken out and can be brought back. */
export interface RemovedKey {
  readonly provider: string
  readonly removed_at: number
  readonly key: StoredKey
}

/** The whole file. */
export interface Stored {
  version: 1
  credential_pool: Record<string, StoredKey[]>
  removed?: RemovedKey[]
}

const RESTORE_MS = 24 * 60 * 60_000

/** A file that says nothing yet. */
export function emptyStore(): Stored {
  return { version: 1, credential_pool: {} }
}

/** The parsed file. Throws `CREDENTIALS_UNREADABLE` for an invalid file or one of a later version. */
export function parseStored(text: string, file: string): Stored {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw unreadable(file, 'it is not JSON', error)
  }
  if (!isObject(value)) throw unreadable(file, 'it is not a JSON object')
  const version = value['version'] ?? 1
  if (version !== 1) throw unreadable(file, `it has version ${String(version)}, and this svc knows version 1`)
  const pool = value['credential_pool'] ?? {}
  if (!isObject(pool) || !Object.values(pool).every(Array.isArray))
    throw unreadable(file, 'its credential_pool is not an object of lists')
  return { ...value, version, credential_pool: pool } as unknown as Stored
}

/** The keys of a provider, the lowest priority first; entries that are no keys are left out. */
export function listStoredKeys(stored: Stored | undefined, provider: string): readonly StoredKey[] {
  const list: readonly unknown[] =
    stored && Object.hasOwn(stored.credential_pool, provider) ? (stored.credential_pool[provider] ?? []) : []
  return list.filter(isKey).toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
}

/** Every secret of the file. */
export function listSecrets(stored: Stored): readonly string[] {
  const pooled = Object.keys(stored.credential_pool).flatMap((provider) => listStoredKeys(stored, provider))
  const removed = listRemovedKeys(stored).map(({ key }) => key)
  return [...pooled, ...removed].flatMap(({ access_token, refresh_token }) =>
    refresh_token === undefined ? [access_token] : [access_token, refresh_token],
  )
}

/** Forgets for good what was removed longer ago than a day. */
export function forgetRemoved(stored: Stored, now: number): void {
  const kept = listRemovedKeys(stored).filter(({ removed_at }) => now - removed_at < RESTORE_MS)
  if (kept.length > 0) stored.removed = [...kept]
  else delete stored.removed
}

/** Keys that can be brought back. */
export function listRemovedKeys(stored: Stored): readonly RemovedKey[] {
  const list: unknown = stored.removed
  return Array.isArray(list) ? list.filter((each) => isObject(each) && isKey(each['key'])) : []
}

/** Why the file is not touched, and what to do. */
export function unreadable(file: string, why: string, cause?: unknown): SvcError {
  const message = `${file} cannot be used: ${why}. Mend it, or move it away and add the keys again; nothing was written.`
  return new SvcError('CREDENTIALS_UNREADABLE', message, cause === undefined ? {} : { cause })
}

function isKey(value: unknown): value is StoredKey {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['access_token'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
