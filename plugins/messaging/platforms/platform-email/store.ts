/** What must outlive a restart, in `email.db`: how far the mailbox was read, the threads, and who repeats what. */
import { ManagedDatabase, type Storage } from 'svc/sdk/storage'
import type { Round } from './loop-limit.ts'

const MAX_MAILS = 20_000
const ROUNDS_KEPT_MS = 86_400_000

const migrations = [
  `
CREATE TABLE mailboxes (
  name TEXT PRIMARY KEY,
  validity TEXT NOT NULL,
  uid INTEGER NOT NULL
);
CREATE TABLE mails (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  chat TEXT NOT NULL,
  id TEXT NOT NULL,
  root TEXT NOT NULL,
  subject TEXT NOT NULL,
  ancestors TEXT NOT NULL,
  UNIQUE (chat, id)
);
CREATE INDEX mails_root ON mails (chat, root);
`,
  `
CREATE TABLE rounds (
  chat TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  words TEXT NOT NULL,
  repeats INTEGER NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX rounds_at ON rounds (at);
ALTER TABLE mails ADD COLUMN answer_to TEXT NOT NULL DEFAULT '';
ALTER TABLE mails ADD COLUMN copies TEXT NOT NULL DEFAULT '';
`,
  `
CREATE TABLE arrivals (
  chat TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (chat, id)
);
CREATE INDEX arrivals_at ON arrivals (at);
`,
]

/** How far a mailbox was read. */
export interface Position {
  /** UIDVALIDITY: a change means that the numbers are reassigned (RFC 9051, section 2.3.1.1). */
  readonly validity: string
  readonly uid: number
}

/** A mail in its thread. */
export interface ThreadMail {
  readonly chat: string
  readonly id: string
  /** The first mail of the thread. */
  readonly root: string
  readonly subject: string
  /** Ids of those before it, oldest first. */
  readonly ancestors: readonly string[]
  /** The destination of an answer; empty: the sender. */
  readonly to: string
  readonly cc: readonly string[]
}

interface MailRow {
  readonly chat: string
  readonly id: string
  readonly root: string
  readonly subject: string
  readonly ancestors: string
  readonly answer_to: string
  readonly copies: string
}

export class MailStore {
  readonly #database: ManagedDatabase

  constructor(storage: () => Storage, file: string) {
    this.#database = new ManagedDatabase(storage, { file, migrations })
  }

  position(mailbox: string): Position | undefined {
    return this.#database.use((database) =>
      database
        .prepare<{ validity: string; uid: number }>('SELECT validity, uid FROM mailboxes WHERE name = ?')
        .get(mailbox),
    )
  }

  setPosition(mailbox: string, { validity, uid }: Position): void {
    const sql =
      'INSERT INTO mailboxes VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET validity = excluded.validity, uid = excluded.uid'
    this.#database.use((database) =>
      database.transaction(() => database.prepare(sql).run(mailbox, validity, uid), { sync: true }),
    )
  }

  remember({ chat, id, root, subject, ancestors, to, cc }: ThreadMail): void {
    const sql =
      'INSERT OR IGNORE INTO mails (chat, id, root, subject, ancestors, answer_to, copies) VALUES (?, ?, ?, ?, ?, ?, ?)'
    const values = [chat, id, root, subject, ancestors.join(' '), to, cc.join(' ')]
    this.#database.use((database) =>
      database.transaction(() => {
        const { lastInsertRowid } = database.prepare(sql).run(...values)
        database.prepare('DELETE FROM mails WHERE number <= ?').run(Number(lastInsertRowid) - MAX_MAILS)
      }),
    )
  }

  /** A mail of this chat by its id. */
  mail(chat: string, id: string): ThreadMail | undefined {
    return this.#one('SELECT * FROM mails WHERE chat = ? AND id = ?', chat, id)
  }

  /** The newest mail of a thread. */
  newest(chat: string, root: string): ThreadMail | undefined {
    return this.#one('SELECT * FROM mails WHERE chat = ? AND root = ? ORDER BY number DESC LIMIT 1', chat, root)
  }

  round(chat: string): Round | undefined {
    const sql = 'SELECT id, words, repeats, at FROM rounds WHERE chat = ?'
    return this.#database.use((database) => database.prepare<Round & Record<string, string | number>>(sql).get(chat))
  }

  setRound(chat: string, { id, words, repeats, at }: Round): void {
    const sql = 'INSERT OR REPLACE INTO rounds (chat, id, words, repeats, at) VALUES (?, ?, ?, ?, ?)'
    this.#database.use((database) =>
      database.transaction(() => {
        database.prepare(sql).run(chat, id, words, repeats, at)
        database.prepare('DELETE FROM rounds WHERE at < ?').run(at - ROUNDS_KEPT_MS)
      }),
    )
  }

  /** Writes down a mail of an address, once, and tells how many others came since then. */
  countArrival(chat: string, { id, at }: { readonly id: string; readonly at: number }, since: number): number {
    const sql = 'SELECT count(*) AS count FROM arrivals WHERE chat = ? AND id != ? AND at > ?'
    return this.#database.use((database) =>
      database.transaction(() => {
        database.prepare('INSERT OR IGNORE INTO arrivals (chat, id, at) VALUES (?, ?, ?)').run(chat, id, at)
        database.prepare('DELETE FROM arrivals WHERE at < ?').run(Math.min(since, at - ROUNDS_KEPT_MS))
        return database.prepare<{ count: number }>(sql).get(chat, id, since)?.count ?? 0
      }),
    )
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #one(sql: string, ...values: string[]): ThreadMail | undefined {
    const row = this.#database.use((database) => database.prepare<MailRow>(sql).get(...values))
    if (!row) return undefined
    const { answer_to: to, copies, ...mail } = row
    return { ...mail, ancestors: splitWords(row.ancestors), to, cc: splitWords(copies) }
  }
}

function splitWords(text: string): readonly string[] {
  return text.split(' ').filter((each) => each !== '')
}
