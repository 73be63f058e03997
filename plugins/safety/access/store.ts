/** Requests and pairings on disk, in `access.db`. The gateway and shell commands work on it at the same time. */

import type { PairedUser, PairingRequest } from 'svc/sdk/safety'
import { type Database, ManagedDatabase, type Storage } from 'svc/sdk/storage'
import { type HashedCode, isCode } from './pairing-code.ts'

/** How long a code can be used. */
export const CODE_LIFE_MS = 3_600_000
/**
 * Codes of one platform that wait at the same time; the oldest gives way. Five guesses an hour at a hundred codes of 40
 * bits are hopeless, and strangers need a hundred accounts to take a code away from a person who has just requested it.
 */
export const MAX_PENDING = 100
/** One user is given one code in this time. */
export const ASK_AGAIN_MS = 600_000
/** Wrong codes for one platform until further codes are refused, and for how long. */
export const MAX_MISTAKES = 5
export const LOCKOUT_MS = 3_600_000

/** What became of a code that was typed. */
export type Attempt =
  | { readonly is: 'right'; readonly pairing: PairedUser }
  | { readonly is: 'wrong'; readonly left: number }
  | { readonly is: 'locked'; readonly until: number }

export const migrations: readonly string[] = [
  `
CREATE TABLE requests (
  platform TEXT NOT NULL,
  user TEXT NOT NULL,
  name TEXT,
  salt TEXT NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (platform, user)
);
CREATE TABLE asked (
  platform TEXT NOT NULL,
  user TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (platform, user)
);
CREATE TABLE pairings (
  platform TEXT NOT NULL,
  user TEXT NOT NULL,
  name TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (platform, user)
);
CREATE TABLE mistakes (
  platform TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  at INTEGER NOT NULL,
  locked_until INTEGER NOT NULL DEFAULT 0
);
`,
]

interface PersonRow {
  readonly platform: string
  readonly user: string
  readonly name: string | null
  readonly at: number
}
interface RequestRow extends PersonRow, HashedCode {
  readonly expires_at: number
}
interface MistakesRow {
  readonly count: number
  readonly at: number
  readonly locked_until: number
}

/** Every method is one durable step. */
export class PairingStore {
  readonly #database: ManagedDatabase

  constructor(storage: () => Storage, file: string) {
    this.#database = new ManagedDatabase(storage, { file, migrations })
  }

  /**
   * Keeps a request; a user's newer one takes the place of the older. False when the user had enough, or codes of
   * the platform are locked.
   */
  ask(person: Omit<PairedUser, 'at'>, code: HashedCode, now: number): boolean {
    const { platform, userId, userName } = person
    return this.#write((database) => {
      database.prepare('DELETE FROM requests WHERE expires_at <= ?').run(now)
      database.prepare('DELETE FROM asked WHERE at <= ?').run(now - ASK_AGAIN_MS)
      if (lockedUntil(database, platform, now)) return false
      const one = database.prepare('SELECT 1 FROM asked WHERE platform = ? AND user = ?')
      if (one.get(platform, userId)) return false
      database.prepare('DELETE FROM requests WHERE platform = ? AND user = ?').run(platform, userId)
      database
        .prepare(
          `DELETE FROM requests WHERE platform = ? AND rowid NOT IN
            (SELECT rowid FROM requests WHERE platform = ? ORDER BY at DESC, rowid DESC LIMIT ?)`,
        )
        .run(platform, platform, MAX_PENDING - 1)
      database
        .prepare('INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(platform, userId, userName ?? null, code.salt, code.hash, now, now + CODE_LIFE_MS)
      database.prepare('INSERT INTO asked VALUES (?, ?, ?)').run(platform, userId, now)
      return true
    })
  }

  /** Tries a code. A wrong one counts, so this is written down whatever comes of it. */
  attempt(platform: string, typed: string, now: number): Attempt {
    return this.#write((database) => {
      const until = lockedUntil(database, platform, now)
      if (until) return { is: 'locked', until }
      const open = database
        .prepare<RequestRow>('SELECT * FROM requests WHERE platform = ? AND expires_at > ?')
        .all(platform, now)
      const request = open.find((each) => isCode(typed, each))
      if (!request) return mistake(database, platform, now)
      database.prepare('DELETE FROM requests WHERE platform = ? AND user = ?').run(platform, request.user)
      database.prepare('DELETE FROM mistakes WHERE platform = ?').run(platform)
      database
        .prepare('INSERT OR REPLACE INTO pairings VALUES (?, ?, ?, ?)')
        .run(platform, request.user, request.name, now)
      return { is: 'right', pairing: toPairing({ ...request, at: now }) }
    })
  }

  isPaired(platform: string, userId: string): boolean {
    return this.#database.use((database) => {
      const found = database.prepare('SELECT 1 FROM pairings WHERE platform = ? AND user = ?').get(platform, userId)
      return found !== undefined
    })
  }

  /** False if the person was not paired. */
  revoke(platform: string, userId: string): boolean {
    return this.#write((database) => {
      const gone = database.prepare('DELETE FROM pairings WHERE platform = ? AND user = ?').run(platform, userId)
      return gone.changes > 0
    })
  }

  /** Oldest first. */
  pairings(): PairedUser[] {
    return this.#database.use((database) =>
      database.prepare<PersonRow>('SELECT * FROM pairings ORDER BY at, platform, user').all().map(toPairing),
    )
  }

  /** Those whose code can still be used, oldest first. */
  requests(now: number): PairingRequest[] {
    return this.#database.use((database) =>
      database
        .prepare<RequestRow>('SELECT * FROM requests WHERE expires_at > ? ORDER BY at, platform, user')
        .all(now)
        .map((row) => ({ ...toPairing(row), expiresAt: row.expires_at })),
    )
  }

  /** How many waited. */
  clear(platform: string | undefined, now: number): number {
    return this.#write((database) => {
      database.prepare('DELETE FROM requests WHERE expires_at <= ?').run(now)
      const where = platform === undefined ? '' : ' WHERE platform = ?'
      const values = platform === undefined ? [] : [platform]
      return database.prepare(`DELETE FROM requests${where}`).run(...values).changes
    })
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #write<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database), { sync: true }))
  }
}

/** When codes are taken again; undefined while they are. */
function lockedUntil(database: Database, platform: string, now: number): number | undefined {
  const until = findMistakes(database, platform)?.locked_until ?? 0
  return until > now ? until : undefined
}

/** Mistakes are forgotten after the time of a lockout without another one. */
function mistake(database: Database, platform: string, now: number): Attempt {
  const before = findMistakes(database, platform)
  const isRecent = before !== undefined && before.locked_until === 0 && before.at > now - LOCKOUT_MS
  const count = isRecent ? before.count + 1 : 1
  const until = count >= MAX_MISTAKES ? now + LOCKOUT_MS : 0
  database.prepare('INSERT OR REPLACE INTO mistakes VALUES (?, ?, ?, ?)').run(platform, count, now, until)
  return until ? { is: 'locked', until } : { is: 'wrong', left: MAX_MISTAKES - count }
}

function findMistakes(database: Database, platform: string): MistakesRow | undefined {
  return database.prepare<MistakesRow>('SELECT count, at, locked_until FROM mistakes WHERE platform = ?').get(platform)
}

function toPairing({ platform, user, name, at }: PersonRow): PairedUser {
  return { platform, userId: user, ...(name !== null && { userName: name }), at }
}
