/** The schema of the ledger. */
export const migrations = [
  /** A row for each model call. `groups` holds their names between commas. */
  `
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  profile TEXT NOT NULL,
  session TEXT,
  turn TEXT,
  groups TEXT NOT NULL,
  purpose TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input INTEGER, output INTEGER, cached_input INTEGER, cache_write_input INTEGER, reasoning INTEGER,
  usd REAL,
  settled INTEGER NOT NULL
);
CREATE INDEX calls_by_time ON calls (at);
CREATE INDEX calls_by_session ON calls (session);
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  usd REAL NOT NULL,
  held_tokens INTEGER NOT NULL DEFAULT 0,
  held_usd REAL NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
`,
  /**
   * `cap_*` is what caps count for a call, NULL in rows of the first schema. An account sums the settled calls up to
   * `counted`. `ledger` tells this database from one that takes its place.
   */
  `
ALTER TABLE calls ADD COLUMN cap_tokens INTEGER;
ALTER TABLE calls ADD COLUMN cap_usd REAL;
CREATE INDEX calls_open ON calls (settled, at) WHERE settled = 0;
CREATE INDEX calls_by_turn ON calls (turn) WHERE turn IS NOT NULL;
CREATE TABLE sums (
  id TEXT PRIMARY KEY,
  first_at INTEGER NOT NULL,
  counted INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  usd REAL NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
INSERT INTO sums (id, first_at, tool_calls)
  SELECT id, first_at, tool_calls FROM accounts WHERE id GLOB 'turn:*' OR id GLOB 'group:*';
DROP TABLE accounts;
ALTER TABLE sums RENAME TO accounts;
CREATE TABLE ledger (id TEXT NOT NULL);
INSERT INTO ledger VALUES (lower(hex(randomblob(16))));
`,
  /** Few calls have groups; what subagents spent for a turn is among them. */
  "CREATE INDEX calls_with_groups ON calls (groups) WHERE groups > ',,';",
  /**
   * `uid` names a call on every machine. What became of a call of another machine comes in later: it gets a new number then, as if it
   * had been settled here, and what is older than that has no effect.
   */
  `
ALTER TABLE calls ADD COLUMN uid TEXT;
UPDATE calls SET uid = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX calls_by_uid ON calls (uid);
CREATE TRIGGER calls_settled AFTER UPDATE OF settled ON calls WHEN old.settled = 0 AND new.settled = 1 AND new.id = old.id BEGIN
  UPDATE calls SET id = (SELECT max(id) FROM calls) + 1 WHERE id = new.id;
END;
CREATE TRIGGER calls_over BEFORE UPDATE OF settled ON calls WHEN old.settled = 1 AND new.settled = 0 BEGIN
  SELECT RAISE(IGNORE);
END;
`,
]
