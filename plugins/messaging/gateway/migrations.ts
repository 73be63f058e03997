/** The schema of `gateway.db`. */

export const migrations: readonly string[] = [
  `
CREATE TABLE inbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  message TEXT NOT NULL,
  trace TEXT NOT NULL UNIQUE,
  talk TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'refused', 'ignored', 'parked')),
  payload TEXT,
  key TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL,
  UNIQUE (platform, chat, message)
);
CREATE INDEX inbox_open ON inbox (number) WHERE state IN ('waiting', 'running');
CREATE INDEX inbox_by_key ON inbox (key) WHERE key IS NOT NULL;
CREATE INDEX inbox_by_age ON inbox (at);
CREATE TABLE talks (
  talk TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  thread TEXT,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  session TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE TABLE talk_sessions (
  session TEXT PRIMARY KEY,
  talk TEXT NOT NULL
);
`,
  `
CREATE TABLE cursors (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (platform, account)
) WITHOUT ROWID;
`,
  'CREATE INDEX inbox_by_talk ON inbox (talk, at);',
  `
CREATE TABLE overheard (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  place TEXT NOT NULL,
  message TEXT NOT NULL,
  user TEXT NOT NULL,
  name TEXT,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX overheard_by_place ON overheard (place, number);
`,
  `
CREATE TABLE marks (
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  message TEXT NOT NULL,
  thread TEXT,
  state TEXT NOT NULL CHECK (state IN ('working', 'done', 'failed', 'none')),
  at INTEGER NOT NULL,
  PRIMARY KEY (platform, chat, message)
) WITHOUT ROWID;
`,
]
