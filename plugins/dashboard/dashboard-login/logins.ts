/**
 * Logins, stored as hashes. The cookie of a login is replaced every ten minutes of use. The one before it stays good for a minute, as
 * requests at the same time and a lost reply need, and leads to the same new one: that is computed from the old one and a salt, so it
 * need not be stored. Any other cookie of a known login is an old one that was copied: the login ends, for both who hold it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from 'svc/sdk'
import type { PluginState } from 'svc/sdk/storage'
import { z } from 'zod'

const ROTATE_MS = 10 * 60_000
const GRACE_MS = 60_000
const MAX_LOGINS = 200

const login = z.object({
  /** Hash of the first part of the cookie. */
  key: z.string(),
  /** Hash of the second part. */
  hash: z.string(),
  before: z.object({ hash: z.string(), salt: z.string(), until: z.number() }).optional(),
  user: z.string(),
  provider: z.enum(['password', 'oidc']),
  address: z.string(),
  agent: z.string(),
  createdAt: z.number(),
  rotatedAt: z.number(),
})
export type StoredLogin = z.infer<typeof login>
export const loginsSchema = z.array(login)

export interface LoginLimits {
  readonly idleMs: number
  readonly maxMs: number
}

interface LoginsDeps extends LoginLimits {
  readonly state: PluginState<StoredLogin[]>
  readonly clock: () => Clock
  readonly random: () => Random
}

/** What a cookie is. `cookie`: the one that takes its place. */
export type Found =
  | { readonly kind: 'valid'; readonly login: StoredLogin; readonly cookie?: string }
  | { readonly kind: 'reused'; readonly login: StoredLogin }
  | { readonly kind: 'unknown' }

export class Logins {
  readonly #deps: LoginsDeps

  constructor(deps: LoginsDeps) {
    this.#deps = deps
  }

  /** Those that have not ended, the newest first. */
  list(): readonly StoredLogin[] {
    return this.#deps.state.get().filter((each) => this.isOpen(each))
  }

  /** Called when logins began, changed or ended, whichever process did it. */
  onChange(listener: () => void): void {
    this.#deps.state.onChange(listener)
  }

  isOpen(each: StoredLogin): boolean {
    return this.#deps.clock().now() < this.endOf(each)
  }

  /** When it ends if it is not used before. Unix milliseconds. */
  endOf({ rotatedAt, createdAt }: StoredLogin): number {
    return Math.min(rotatedAt + this.#deps.idleMs, createdAt + this.#deps.maxMs)
  }

  async create(
    person: Pick<StoredLogin, 'user' | 'provider' | 'address' | 'agent'>,
  ): Promise<{ readonly login: StoredLogin; readonly cookie: string }> {
    const [id, secret] = [this.#draw(), this.#draw()]
    const now = this.#deps.clock().now()
    const made = { ...person, key: hash(id), hash: hash(secret), createdAt: now, rotatedAt: now }
    await this.#deps.state.update((all) => [made, ...all.filter((each) => this.isOpen(each))].slice(0, MAX_LOGINS))
    return { login: made, cookie: `${id}.${secret}` }
  }

  /** Replaces the cookie when it is time. A cookie that is used again ends its login. */
  async find(cookie: string): Promise<Found> {
    const [, id, secret] = /^([\w-]{43})\.([\w-]{43})$/.exec(cookie) ?? []
    if (id === undefined || secret === undefined) return { kind: 'unknown' }
    const key = hash(id)
    const known = this.list().find((each) => each.key === key)
    if (!known) return { kind: 'unknown' }
    const now = this.#deps.clock().now()
    const given = hash(secret)
    const isCurrent = isEqual(given, known.hash)
    if (isCurrent && now < known.rotatedAt + ROTATE_MS) return { kind: 'valid', login: known }
    const changed = isCurrent ? await this.#rotate(key, given, secret) : known
    const { before } = changed ?? {}
    if (changed && before && isEqual(given, before.hash) && now < before.until)
      return { kind: 'valid', login: changed, cookie: `${id}.${next(before.salt, secret)}` }
    await this.end((each) => each.key === key)
    return { kind: 'reused', login: known }
  }

  /** Returns those that ended. */
  async end(which: (login: StoredLogin) => boolean): Promise<readonly StoredLogin[]> {
    const ended: StoredLogin[] = []
    await this.#deps.state.update((all) => {
      ended.splice(0, ended.length, ...all.filter(which))
      return all.filter((each) => !which(each))
    })
    return ended
  }

  /** Another process may have replaced it meanwhile: then that is the state. */
  async #rotate(key: string, given: string, secret: string): Promise<StoredLogin | undefined> {
    const salt = this.#draw()
    const now = this.#deps.clock().now()
    const all = await this.#deps.state.update((logins) =>
      logins.map((each) =>
        each.key === key && each.hash === given
          ? {
              ...each,
              hash: hash(next(salt, secret)),
              before: { hash: given, salt, until: now + GRACE_MS },
              rotatedAt: now,
            }
          : each,
      ),
    )
    return all.find((each) => each.key === key)
  }

  #draw(): string {
    return Buffer.from(this.#deps.random().hex(32), 'hex').toString('base64url')
  }
}

/** For people and for the audit log: too short to be looked up by. */
export function getLoginName({ key }: Pick<StoredLogin, 'key'>): string {
  return key.slice(0, 8)
}

function next(salt: string, secret: string): string {
  return createHmac('sha256', salt).update(secret).digest('base64url')
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
