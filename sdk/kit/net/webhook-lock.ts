/** A lock for webhooks: who has signed the request, that it is not old, and that it was not taken before. */
import { createHash } from 'node:crypto'
import type { HttpAuth, HttpRequest, HttpResponse } from '../../http.ts'
import type { Clock } from '../../ports.ts'
import { ManagedDatabase, type Storage } from '../../storage.ts'
import { isRecent, matchesSignature, type SignatureClaim } from './signatures.ts'

/** What a service signs of a request. @since 0.2 */
export interface SignedContent extends Pick<SignatureClaim, 'parts' | 'encoding' | 'algorithm'> {
  /** One must match: services send several while a secret is changed. */
  readonly given: readonly string[]
  /** Seconds since 1970, where the service signs the time: then an old request is refused. It must be among `parts`. */
  readonly time?: string
}

/** @since 0.2 */
export interface WebhookLockOptions {
  /** Asked for every request; undefined locks it for everybody. */
  readonly secret: () => string | Uint8Array | undefined
  /** Where the signature is and what it is of; undefined for a request without one. */
  readonly read: (request: Pick<HttpRequest, 'headers' | 'body'>) => SignedContent | undefined
  readonly clock: () => Pick<Clock, 'now'>
  readonly storage: () => Storage
  /** An absolute path below `ctx.dataDir`: what was taken is remembered there, also over a restart. */
  readonly file: string
  /** Milliseconds by which the clocks of both sides may differ (default five minutes). */
  readonly windowMs?: number
  /** Milliseconds for which a request is remembered (default one day; at least twice `windowMs`). */
  readonly rememberMs?: number
  /** The reply to a request that was taken before (default 409). */
  readonly replayed?: () => HttpResponse
}

const DAY_MS = 86_400_000
const WINDOW_MS = 300_000

const migrations = [
  `
CREATE TABLE taken (mark TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX taken_aged ON taken (at);
`,
]

/**
 * Use both: `auth` as the lock of a route, and `once` around its handler. The same signed content is worked on once: a second
 * copy waits for the first and is then refused, in this process and, after a restart, from what is on disk. A handler that
 * throws or replies with a status of 400 or more has taken nothing, so the service may send the request again. A crash between
 * the work and its record lets it come again, too.
 * @since 0.2
 */
export class WebhookLock {
  readonly auth: HttpAuth = { kind: 'signed', check: (request) => this.#isSigned(request) }
  readonly #options: WebhookLockOptions
  readonly #database: ManagedDatabase
  /** The newest work on a mark; settles when it is over. */
  readonly #underWay: Map<string, Promise<unknown>> = new Map()

  constructor(options: WebhookLockOptions) {
    this.#options = options
    this.#database = new ManagedDatabase(options.storage, { file: options.file, migrations })
  }

  once(handle: (request: HttpRequest) => Promise<HttpResponse>): (request: HttpRequest) => Promise<HttpResponse> {
    return async (request) => {
      const content = this.#options.read(request)
      // Behind another lock, for instance in a test: there is nothing to know it by.
      if (!content) return handle(request)
      const mark = createMark(content)
      const before = this.#underWay.get(mark) ?? Promise.resolve()
      const done = before.then(() => this.#take(mark, () => handle(request)))
      const settled = done.catch(() => undefined)
      this.#underWay.set(mark, settled)
      try {
        return await done
      } finally {
        if (this.#underWay.get(mark) === settled) this.#underWay.delete(mark)
      }
    }
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #isSigned(request: HttpRequest): boolean {
    const { secret, read, clock, windowMs = WINDOW_MS } = this.#options
    const key = secret()
    const content = read(request)
    if (key === undefined || !content) return false
    const { given, time, ...signed } = content
    if (time !== undefined && !isRecent(time, clock().now(), windowMs)) return false
    return given.some((each) => matchesSignature({ ...signed, key, given: each }))
  }

  async #take(mark: string, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    const { clock, windowMs = WINDOW_MS, rememberMs = DAY_MS, replayed } = this.#options
    const oldest = clock().now() - Math.max(rememberMs, 2 * windowMs)
    const known = this.#database.use((database) =>
      database.prepare('SELECT 1 FROM taken WHERE mark = ? AND at > ?').get(mark, oldest),
    )
    if (known !== undefined)
      return replayed?.() ?? { status: 409, body: 'This request was taken before; it is not taken again.' }
    const reply = await work()
    if ((reply.status ?? 200) >= 400) return reply
    this.#database.use((database) =>
      database.transaction(
        () => {
          database.prepare('DELETE FROM taken WHERE at <= ?').run(oldest)
          database.prepare('INSERT OR REPLACE INTO taken VALUES (?, ?)').run(mark, clock().now())
        },
        { sync: true },
      ),
    )
    return reply
  }
}

/** The same for the same signed content, however its signature is written. */
function createMark({ parts }: SignedContent): string {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest('hex')
}
