/** Requests and grants on disk, in `approvals.db`. */
import { type ApprovalChoice, type ApprovalRequest, type Database, LazyDatabase, type Storage, SvcError } from 'svc/sdk'

/** A request with what its answer is bound to. */
export interface BoundRequest extends ApprovalRequest {
  /** Tool, command, folder and environment in one number. */
  readonly hash: string
}

/** A standing answer. */
export interface Grant {
  readonly id: string
  readonly scope: 'session' | 'always'
  /** The session it holds for; empty for `always`. */
  readonly sessionId: string
  /** `session`: the name of a pattern. `always`: the hash of what was asked. */
  readonly subject: string
  /** What was shown when it was given. */
  readonly action: string
  readonly reason: string
  readonly cwd: string
  readonly grantedAt: number
  readonly grantedBy: string
}

interface RequestRow {
  readonly data: string
  readonly choice: ApprovalChoice | null
  readonly answered_by: string | null
}

/** A request's answer; `used` by now when the call went ahead. */
export interface Answer {
  readonly choice: ApprovalChoice
  readonly by: string
}

const migrations = [
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
]
const KEEP_MS = 30 * 86_400_000
const GRANT_COLUMNS =
  'id, scope, session AS sessionId, subject, action, reason, cwd, granted_at AS grantedAt, granted_by AS grantedBy'

/** Every method is one durable step. Several processes may work on one file. */
export class ApprovalStore {
  readonly #database: LazyDatabase

  constructor(storage: () => Storage, file: string) {
    this.#database = new LazyDatabase(storage, { file, migrations })
  }

  /** Writes a request down before anybody sees it, and forgets those of a month ago. */
  add(request: BoundRequest, now: number): void {
    this.#write((database) => {
      database.prepare('DELETE FROM requests WHERE expires_at < ?').run(now - KEEP_MS)
      const { hash, ...shown } = request
      database
        .prepare('INSERT INTO requests (id, session, hash, expires_at, data) VALUES (?, ?, ?, ?, ?)')
        .run(request.id, request.sessionId, hash, request.expiresAt, JSON.stringify(shown))
    })
  }

  pending(now: number): ApprovalRequest[] {
    return this.#database.use((database) =>
      database
        .prepare<{ data: string }>(
          'SELECT data FROM requests WHERE choice IS NULL AND used = 0 AND expires_at > ? ORDER BY rowid',
        )
        .all(now)
        .map(({ data }) => JSON.parse(data) as ApprovalRequest),
    )
  }

  /** Throws `APPROVAL_UNKNOWN` unless the request waits for an answer: the first one wins. */
  answer(id: string, { choice, by }: Answer, now: number): void {
    this.#write((database) => {
      const row = database
        .prepare<RequestRow>(
          'SELECT data, choice, answered_by FROM requests WHERE id = ? AND used = 0 AND expires_at > ?',
        )
        .get(id, now)
      if (!row || row.choice !== null) {
        const before = row?.answered_by ? ` It was answered by ${row.answered_by}.` : ''
        throw new SvcError('APPROVAL_UNKNOWN', `No request ${id} waits for an answer.${before}`, { status: 409 })
      }
      const { choices } = JSON.parse(row.data) as ApprovalRequest
      if (!choices.includes(choice))
        throw new SvcError('APPROVAL_CHOICE', `"${choice}" is no answer here; use ${choices.join(', ')}.`, {
          status: 400,
        })
      database
        .prepare('UPDATE requests SET choice = ?, answered_by = ?, answered_at = ? WHERE id = ?')
        .run(choice, by, now, id)
    })
  }

  /** The answer to a request, or undefined while there is none. */
  answerTo(id: string): Answer | undefined {
    const row = this.#database.use((database) =>
      database.prepare<RequestRow>('SELECT data, choice, answered_by FROM requests WHERE id = ?').get(id),
    )
    return row?.choice ? { choice: row.choice, by: row.answered_by ?? '' } : undefined
  }

  /** An earlier request for the very same thing that a crash left: open, or answered and not used. */
  left(sessionId: string, hash: string, now: number): ApprovalRequest | undefined {
    const row = this.#database.use((database) =>
      database
        .prepare<RequestRow>(
          'SELECT data, choice, answered_by FROM requests WHERE session = ? AND hash = ? AND used = 0 AND expires_at > ? ORDER BY rowid DESC',
        )
        .get(sessionId, hash, now),
    )
    return row && (JSON.parse(row.data) as ApprovalRequest)
  }

  /** Ends a request: its answer counts once. False when it was used before. */
  use(id: string): boolean {
    return this.#write(
      (database) => database.prepare('UPDATE requests SET used = 1 WHERE id = ? AND used = 0').run(id).changes === 1,
    )
  }

  grant(grant: Grant): void {
    this.#write((database) => {
      const { id, scope, sessionId, subject, action, reason, cwd, grantedAt, grantedBy } = grant
      database
        .prepare('INSERT OR IGNORE INTO grants VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(id, scope, sessionId, subject, action, reason, cwd, grantedAt, grantedBy)
    })
  }

  granted(scope: Grant['scope'], sessionId: string, subject: string): boolean {
    return this.#database.use(
      (database) =>
        database
          .prepare('SELECT 1 FROM grants WHERE scope = ? AND session = ? AND subject = ?')
          .get(scope, sessionId, subject) !== undefined,
    )
  }

  /** Permanent grants, oldest first. */
  grants(): Grant[] {
    return this.#database.use((database) =>
      database
        .prepare(`SELECT ${GRANT_COLUMNS} FROM grants WHERE scope = 'always' ORDER BY granted_at, id`)
        .all()
        .map((row) => row as unknown as Grant),
    )
  }

  /** Throws `APPROVAL_GRANT_UNKNOWN`. */
  revoke(id: string): void {
    const gone = this.#write((database) =>
      database.prepare("DELETE FROM grants WHERE id = ? AND scope = 'always'").run(id),
    )
    if (gone.changes) return
    throw new SvcError(
      'APPROVAL_GRANT_UNKNOWN',
      `No permanent grant has the id ${id}; \`svc approvals list\` shows them.`,
      { status: 404 },
    )
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #write<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database), { sync: true }))
  }
}
