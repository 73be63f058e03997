/** Asks a request for its proof. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { SvcError } from 'svc/sdk'
import type { HttpAuth, HttpRequest } from 'svc/sdk/web'

/** What a bearer key is compared with: hashes have the same length, so the comparison time reveals nothing about the key. */
export class BearerLock {
  readonly #lock: Extract<HttpAuth, { kind: 'bearer' }>
  #known: { readonly secret: string; readonly hash: Buffer } | undefined

  constructor(lock: Extract<HttpAuth, { kind: 'bearer' }>) {
    this.#lock = lock
  }

  /** Without a secret every request is refused. */
  opens(authorization: string | undefined): boolean {
    const secret = this.#lock.secret()
    if (!secret) return false
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (given === undefined) return false
    if (this.#known?.secret !== secret) this.#known = { secret, hash: hashText(secret) }
    const hash = hashText(given)
    const isFirst = timingSafeEqual(hash, this.#known.hash)
    // All are compared, so that the time does not tell which one it was.
    const others = this.#lock.others?.() ?? []
    return others.reduce((isOne, other) => timingSafeEqual(hash, hashText(other)) || isOne, isFirst)
  }
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Throws unless the head of the request has the credential that the lock wants. If the check itself fails, it is refused. Returns
 * headers for the reply.
 */
export async function checkCredential(lock: HttpAuth, head: HttpRequest): Promise<Readonly<Record<string, string>>> {
  const pass = lock.kind !== 'credential' || (await lock.check(head))
  if (pass !== false) return pass === true ? {} : pass.headers
  throw new SvcError('HTTP_UNAUTHORIZED', 'The credential is missing or wrong.', { status: 401 })
}

/** Throws unless the request is signed as the lock wants it. If the check itself fails, the request is refused. */
export async function checkSignature(lock: HttpAuth, request: HttpRequest): Promise<void> {
  if (lock.kind !== 'signed') return
  if (await lock.check(request)) return
  throw new SvcError('HTTP_SIGNATURE', 'The signature of the request is missing or wrong.', {
    status: lock.status ?? 401,
  })
}
