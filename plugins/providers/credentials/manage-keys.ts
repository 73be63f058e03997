/** Adds, removes and shows the keys of the pool. */
import { SvcError } from 'svc/sdk'
import type { CredentialInfo, NewCredential } from 'svc/sdk/provider'
import type { AuthFile } from './auth-file.ts'
import { clearStanding } from './key.ts'
import { keepSignIn } from './renew-sign-in.ts'
import { listRemovedKeys, listStoredKeys, type Stored, type StoredKey } from './stored-keys.ts'

/** Shorter texts are not masked in logs: they would hide words. */
const MIN_KEY = 6
/** Longer keys show their last characters. */
const MIN_SHOWN = 16

const PLACEHOLDER = /^(change-?me|your[-_ ].*|x{3,}|\*+|todo|none|null|undefined|placeholder|example.*|<.*>)$/i

/** The pool, provider by provider, in the order of use. */
export function listKeys(file: AuthFile, provider: string | undefined): readonly CredentialInfo[] {
  const stored = file.read()
  const names = provider === undefined ? Object.keys(stored?.credential_pool ?? {}).sort() : [provider]
  return names.flatMap((name) => listStoredKeys(stored, name).map((key) => toPooledCredential(name, key)))
}

/** A key that is there already is used again and takes what is new of it. */
export async function addKey(file: AuthFile, wanted: NewCredential, newId: () => string): Promise<CredentialInfo> {
  const text = wanted.key.trim()
  if (text.length < MIN_KEY || PLACEHOLDER.test(text) || /\s/.test(text))
    throw new SvcError(
      'CREDENTIALS_PLACEHOLDER',
      `That does not look like an API key for ${wanted.provider}: it is empty, shorter than ${MIN_KEY} characters, has spaces or is an example text. Nothing was stored.`,
    )
  return file.update((stored) => {
    const old = listStoredKeys(stored, wanted.provider).find(
      (key) => key.access_token === text || isSameAccount(key, wanted),
    )
    const key = old ?? newKey(stored, { ...wanted, key: text }, newId)
    if (old) renewKey(old, wanted)
    else appendKey(stored, wanted.provider, key)
    return toPooledCredential(wanted.provider, key)
  })
}

/** They stay in the file for a day, where nothing uses them. */
export function removeKeys(
  file: AuthFile,
  provider: string,
  ids: readonly string[],
  now: number,
): Promise<readonly CredentialInfo[]> {
  return file.update((stored) => {
    const keys = listStoredKeys(stored, provider).filter(({ id }) => ids.includes(id))
    const missing = ids.filter((id) => !keys.some((key) => key.id === id))
    if (missing.length > 0) throw unknown(`${provider} has no key ${missing.join(', ')}`)
    const left = (stored.credential_pool[provider] ?? []).filter((key) => !keys.includes(key))
    if (left.length > 0) stored.credential_pool[provider] = left
    else delete stored.credential_pool[provider]
    stored.removed = [...listRemovedKeys(stored), ...keys.map((key) => ({ provider, removed_at: now, key }))]
    return keys.map((key) => toPooledCredential(provider, key))
  })
}

/** Brings removed keys back as they were. */
export function restoreKeys(file: AuthFile, ids: readonly string[]): Promise<readonly CredentialInfo[]> {
  return file.update((stored) => {
    const removed = listRemovedKeys(stored)
    const found = removed.filter(({ key }) => ids.includes(key.id))
    const missing = ids.filter((id) => !found.some(({ key }) => key.id === id))
    if (missing.length > 0) throw unknown(`No key ${missing.join(', ')} was removed within the last day`)
    for (const { provider, key } of found) appendKey(stored, provider, key)
    const left = removed.filter((each) => !found.includes(each))
    if (left.length > 0) stored.removed = left
    else delete stored.removed
    return found.map(({ provider, key }) => toPooledCredential(provider, key))
  })
}

function appendKey(stored: Stored, provider: string, key: StoredKey): void {
  stored.credential_pool[provider] = [...(stored.credential_pool[provider] ?? []), key]
}

function isSameAccount(key: StoredKey, { flow, signedIn }: NewCredential): boolean {
  return signedIn?.account !== undefined && key.account === signedIn.account && key.source === flow
}

/** Ends rest and quarantine. */
export function resetKeys(file: AuthFile, provider: string): Promise<readonly CredentialInfo[]> {
  return file.update((stored) => {
    const out = listStoredKeys(stored, provider).filter(({ last_status }) => (last_status ?? 'ok') !== 'ok')
    const before = out.map((key) => toPooledCredential(provider, key))
    for (const key of out) clearStanding(key)
    return before
  })
}

function newKey(stored: Stored, wanted: NewCredential, newId: () => string): StoredKey {
  const others = listStoredKeys(stored, wanted.provider)
  const taken = new Set(
    [...Object.keys(stored.credential_pool)].flatMap((name) => listStoredKeys(stored, name)).map(({ id }) => id),
  )
  let id = newId()
  while (taken.has(id)) id = newId()
  const last = Math.max(-1, ...others.map(({ priority }) => priority ?? 0))
  const key: StoredKey = {
    id,
    label: wanted.label ?? `key ${others.length + 1}`,
    auth_type: wanted.signedIn ? 'oauth' : 'api_key',
    priority: wanted.priority ?? last + 1,
    source: wanted.flow ?? 'manual',
    access_token: wanted.key,
    last_status: 'ok',
    request_count: 0,
  }
  if (wanted.baseUrl !== undefined) key.base_url = wanted.baseUrl
  if (wanted.signedIn) keepSignIn(key, wanted.signedIn)
  return key
}

function renewKey(key: StoredKey, wanted: NewCredential): void {
  clearStanding(key)
  if (wanted.label !== undefined) key.label = wanted.label
  if (wanted.priority !== undefined) key.priority = wanted.priority
  if (wanted.baseUrl !== undefined) key.base_url = wanted.baseUrl
  if (wanted.signedIn) keepSignIn(key, wanted.signedIn)
}

function toPooledCredential(provider: string, key: StoredKey): CredentialInfo {
  const { access_token: text, last_error_message: error, last_error_reset_at: resetAt } = key
  return {
    id: key.id,
    provider,
    label: key.label ?? key.id,
    type: key.auth_type === 'oauth' ? 'oauth' : 'api-key',
    source: key.source ?? 'manual',
    priority: key.priority ?? 0,
    key: text.length < MIN_SHOWN ? '***' : `***${text.slice(-4)}`,
    status: key.last_status ?? 'ok',
    requests: key.request_count ?? 0,
    ...(key.base_url === undefined ? {} : { baseUrl: key.base_url }),
    ...(error === undefined ? {} : { error }),
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(key.expires_at === undefined ? {} : { expiresAt: key.expires_at }),
    ...(key.refresh_token === undefined ? {} : { isRenewed: true }),
    ...(key.account === undefined ? {} : { account: key.account }),
  }
}

function unknown(what: string): SvcError {
  return new SvcError('CREDENTIALS_UNKNOWN', `${what}. \`svc auth list\` has all. Nothing was changed.`, {
    status: 404,
  })
}
