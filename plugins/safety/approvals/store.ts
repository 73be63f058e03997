/** Requests and grants on disk, in `approvals.db`. */
import { existsSync } from 'node:fs'
import { type ApprovalChoice, type ApprovalRequest, SvcError } from 'svc/sdk'
import type { Seals } from 'svc/sdk/safety'
import { type Database, ManagedDatabase, type SqlValue, type Storage } from 'svc/sdk/storage'

/** A request with what its answer is bound to. */
export interface BoundRequest extends ApprovalRequest {
  /** Tool, command, folder and environment in one number. */
  readonly hash: string
}

/** A standing answer. */
export interface Grant {
  readonly id: string
  readonly scope: 'session' | 'project' | 'always'
  /** The session or the working folder that it holds for; empty for `always`. */
  readonly holder: string
  /** What it covers. Of older versions: the hash of what was asked. */
  readonly subject: string
  /** The same for people. */
  readonly covers: string
  /** What was shown when it was given. */
  readonly action: string
  readonly reason: string
  readonly cwd: string
  readonly grantedAt: number
  readonly grantedBy: string
}

/** A request as it was written down. */
export interface StoredRequest {
  readonly request: ApprovalRequest
  /** The process that asks, or asked when it ended. */
  readonly pid: number
}

interface RequestRow {
  readonly session: string
  readonly hash: string
  readonly data: string
  readonly pid: number
  readonly seal: string | null
}

/** A request's answer. */
export interface Answer {
  readonly choice: ApprovalChoice
  readonly by: string
  /** Why it was denied, in the words of who denied it. */
  readonly reason?: string
}

export const migrations: readonly string[] = [
  `
CREATE TABLE requests (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  hash TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  data TEXT NOT NULL,
  choice TEXT,
  answered_by TEXT,
  answered_at INTEGER,
  used INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX requests_open ON requests (session, hash) WHERE used = 0;
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL CHECK (scope IN ('session', 'always')),
  session TEXT NOT NULL,
  subject TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  cwd TEXT NOT NULL,
  granted_at INTEGER NOT NULL,
  granted_by TEXT NOT NULL,
  UNIQUE (scope, session, subject)
);
`,
  // Session grants were kept by the name of a pattern, which covers more than the user was shown: they end.
  `
CREATE TABLE standing (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL CHECK (scope IN ('session', 'project', 'always')),
  holder TEXT NOT NULL,
  subject TEXT NOT NULL,
  covers TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  cwd TEXT NOT NULL,
  granted_at INTEGER NOT NULL,
  granted_by TEXT NOT NULL,
  UNIQUE (scope, holder, subject)
);
INSERT INTO standing
  SELECT id, scope, session, subject, 'exactly this command in ' || cwd, action, reason, cwd, granted_at, granted_by
  FROM grants WHERE scope = 'always';
DROP TABLE grants;
`,
  // Other programs of the user can write this file: what svc did not write itself does not count.
  `
ALTER TABLE requests ADD COLUMN pid INTEGER;
ALTER TABLE requests ADD COLUMN seal TEXT;
ALTER TABLE standing ADD COLUMN seal TEXT;
`,
]
const KEEP_MS = 30 * 86_400_000
const GRANT_COLUMNS =
  'id, scope, holder, subject, covers, action, reason, cwd, granted_at AS grantedAt, granted_by AS grantedBy'

/**
 * Every method is one durable step. Several processes may work on one file. No answer is ever taken from it: it keeps what
 * is asked, what was answered, and grants; rows that svc did not seal are as if they were not there.
 */
export class ApprovalStore {
  readonly #database: ManagedDatabase
  readonly #seals: () => Seals
  readonly #file: string

  constructor(storage: () => Storage, seals: () => Seals, file: string) {
    this.#file = file
    this.#database = new ManagedDatabase(storage, { file, migrations })
    this.#seals = seals
  }

  /** Stores a request before it is shown, and deletes those older than a month. */
  add(request: BoundRequest, pid: number, now: number): void {
    const { hash, ...shown } = request
    const row = { session: request.sessionId, hash, data: JSON.stringify(shown), pid }
    const seal = this.#seals().seal('request', requestText(row))
    this.#write((database) => {
      database.prepare('DELETE FROM requests WHERE expires_at < ?').run(now - KEEP_MS)
      database
        .prepare(
          'INSERT OR REPLACE INTO requests (id, session, hash, expires_at, data, pid, seal) VALUES (?, ?, ?, ?, ?, ?, ?)',
        )
        .run(request.id, row.session, hash, request.expiresAt, row.data, pid, seal)
    })
  }

  /** Requests that are not settled, oldest first. */
  pending(now: number): StoredRequest[] {
    return this.#open('ORDER BY rowid', now)
  }

  /** An earlier request for the very same thing that a crash left. */
  left(sessionId: string, hash: string, now: number): ApprovalRequest | undefined {
    return this.#open('AND session = ? AND hash = ? ORDER BY rowid DESC', now, sessionId, hash)[0]?.request
  }

  /** Ends a request, with its answer for the record. False when it was ended before. */
  settle(id: string, answer: Answer | undefined, now: number): boolean {
    return this.#write((database) => {
      const { choice = null, by = null } = answer ?? {}
      const sql = 'UPDATE requests SET used = 1, choice = ?, answered_by = ?, answered_at = ? WHERE id = ? AND used = 0'
      return database.prepare(sql).run(choice, by, now, id).changes === 1
    })
  }

  /** Who answered a request, for the record. */
  answeredBy(id: string): string | undefined {
    return this.#database.use(
      (database) =>
        database
          .prepare<{ by: string | null }>('SELECT answered_by AS by FROM requests WHERE id = ? AND used = 1')
          .get(id)?.by ?? undefined,
    )
  }

  grant(grant: Grant): void {
    const { id, scope, holder, subject, covers, action, reason, cwd, grantedAt, grantedBy } = grant
    const seal = this.#seals().seal('grant', grantText(grant))
    this.#write((database) => {
      database
        .prepare('INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(id, scope, holder, subject, covers, action, reason, cwd, grantedAt, grantedBy, seal)
    })
  }

  /** The subjects of all grants that hold in a session that works in this folder. */
  granted(sessionId: string, folder: string): ReadonlySet<string> {
    const holds = "scope = 'always' OR (scope = 'session' AND holder = ?) OR (scope = 'project' AND holder = ?)"
    return new Set(this.#sealed(holds, sessionId, folder).map(({ subject }) => subject))
  }

  /** Grants that outlive their session, oldest first. */
  grants(): Grant[] {
    return this.#sealed("scope <> 'session'")
  }

  /** Throws `APPROVAL_GRANT_UNKNOWN`. */
  revoke(id: string): void {
    const gone = this.#write((database) =>
      database.prepare("DELETE FROM standing WHERE id = ? AND scope <> 'session'").run(id),
    )
    if (gone.changes) return
    throw new SvcError(
      'APPROVAL_GRANT_UNKNOWN',
      `No permanent grant has the id ${id}; \`svc approvals list\` shows them.`,
      { status: 404 },
    )
  }

  /** The sessions for which there are grants or requests. */
  sessions(): readonly string[] {
    if (!existsSync(this.#file)) return []
    const sql = "SELECT holder AS id FROM standing WHERE scope = 'session' UNION SELECT session FROM requests"
    return this.#database.use((database) => database.prepare<{ id: string }>(sql).all()).map(({ id }) => id)
  }

  /** A session that comes back, or another one of its id, begins without grants. */
  forget(sessions: readonly string[]): void {
    const ids = JSON.stringify(sessions)
    const among = 'IN (SELECT value FROM json_each(?))'
    this.#write((database) => {
      database.prepare(`DELETE FROM standing WHERE scope = 'session' AND holder ${among}`).run(ids)
      database.prepare(`DELETE FROM requests WHERE session ${among}`).run(ids)
    })
  }

  /** Whether svc of this home wrote the row of a grant. */
  isSealed(row: GrantRow): boolean {
    return this.#seals().holds('grant', grantText(toGrant(row)), String(row['seal'] ?? ''))
  }

  /** The seal for the row of a grant that svc of another home gave. */
  seal(row: GrantRow): string {
    return this.#seals().seal('grant', grantText(toGrant(row)))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #open(which: string, now: number, ...values: string[]): StoredRequest[] {
    const sql = `SELECT session, hash, data, pid, seal FROM requests WHERE used = 0 AND expires_at > ? ${which}`
    const rows = this.#database.use((database) => database.prepare<RequestRow>(sql).all(now, ...values))
    const own = rows.filter((row) => this.#seals().holds('request', requestText(row), row.seal ?? ''))
    return own.map(({ data, pid }) => ({ request: JSON.parse(data) as ApprovalRequest, pid }))
  }

  #sealed(where: string, ...values: string[]): Grant[] {
    const sql = `SELECT ${GRANT_COLUMNS}, seal FROM standing WHERE ${where} ORDER BY granted_at, id`
    const rows = this.#database.use((database) => database.prepare(sql).all(...values))
    return rows.flatMap((row) => {
      const { seal, ...grant } = row as unknown as Grant & { readonly seal: string | null }
      return this.#seals().holds('grant', grantText(grant), seal ?? '') ? [grant] : []
    })
  }

  #write<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database), { sync: true }))
  }
}

/** As it is stored. */
type GrantRow = Readonly<Record<string, SqlValue>>

function toGrant({ granted_at: grantedAt, granted_by: grantedBy, ...row }: GrantRow): Grant {
  return { ...row, grantedAt, grantedBy } as unknown as Grant
}

/** All that a seal holds together. The id and the time are in `data`. */
function requestText({ session, hash, data, pid }: Omit<RequestRow, 'seal'>): string {
  return JSON.stringify([session, hash, data, pid])
}

function grantText({ id, scope, holder, subject, covers, action, reason, cwd, grantedAt, grantedBy }: Grant): string {
  return JSON.stringify([id, scope, holder, subject, covers, action, reason, cwd, grantedAt, grantedBy])
}
