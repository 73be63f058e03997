/** The schema of `outbox.db`. */

export const migrations: readonly string[] = [
  `
CREATE TABLE messages (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  thread TEXT,
  reply_to TEXT,
  text TEXT NOT NULL,
  draft INTEGER NOT NULL,
  buttons TEXT,
  files TEXT NOT NULL,
  trace TEXT,
  cut INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL
);
CREATE INDEX messages_uncut ON messages (platform) WHERE cut = 0 AND draft = 0;
CREATE TABLE parts (
  message INTEGER NOT NULL REFERENCES messages (number) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  platform TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'attempting', 'delivered', 'uncertain', 'failed')),
  text TEXT NOT NULL,
  file INTEGER,
  tried TEXT,
  sent TEXT,
  epoch TEXT,
  doubt INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  receipt TEXT,
  error TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (message, part)
);
CREATE INDEX parts_open ON parts (platform, message, part) WHERE state IN ('pending', 'attempting');
CREATE INDEX parts_stuck ON parts (state) WHERE state IN ('uncertain', 'failed');
CREATE INDEX parts_by_receipt ON parts (receipt) WHERE receipt IS NOT NULL;
CREATE TABLE destinations (
  target TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  chat TEXT NOT NULL,
  thread TEXT,
  label TEXT NOT NULL,
  at INTEGER NOT NULL
);
`,
  'ALTER TABLE parts ADD COLUMN delivered_at INTEGER;',
  `
ALTER TABLE parts ADD COLUMN committed INTEGER NOT NULL DEFAULT 0;
UPDATE parts SET committed = 1 WHERE state = 'attempting';
`,
  'ALTER TABLE parts ADD COLUMN album TEXT;',
  'ALTER TABLE parts ADD COLUMN first_delivered_at INTEGER; UPDATE parts SET first_delivered_at = delivered_at;',
  // What was posted before there was a hook leaves as it is.
  'ALTER TABLE messages ADD COLUMN leaving TEXT; UPDATE messages SET leaving = text;',
  'ALTER TABLE parts ADD COLUMN note TEXT;',
]
