/** The schema of `sessions.db`. A step that was released is never edited: a change is a new step. */

/**
 * - `events`: a row holds a JSON list of neighbouring events of one `record`; `seq` is the place of its last one.
 *   `kind` tells deltas, which are dropped when the next turn starts, from events that are kept.
 * - `messages`: `seq` is the last event that was there when the message was recorded.
 * - `turns`: `open` while it runs, `ended`, and `trimmed` once its deltas are dropped.
 * - Text that people or models wrote is JSON, because SQLite text cannot hold half a surrogate pair.
 */
const first = `
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  surface TEXT NOT NULL,
  cwd TEXT NOT NULL,
  title TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cached_input_tokens INTEGER,
  reasoning_tokens INTEGER
);
CREATE INDEX sessions_by_use ON sessions (updated_at);

CREATE TABLE system_prompts (
  session INTEGER PRIMARY KEY REFERENCES sessions (number) ON DELETE CASCADE,
  data TEXT NOT NULL
);

CREATE TABLE turns (
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'ended', 'trimmed')),
  first_seq INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  pid INTEGER NOT NULL,
  process TEXT NOT NULL,
  PRIMARY KEY (session, id)
);
CREATE INDEX turns_at_work ON turns (session, state) WHERE state <> 'trimmed';

CREATE TABLE messages (
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (session, position)
);

CREATE TABLE events (
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('delta', 'kept')),
  data TEXT NOT NULL,
  PRIMARY KEY (session, seq)
);
`

/**
 * - `sessions.number` is never given twice, so a holder of a removed session cannot write into a new one.
 *   `parent` is an id and not a reference: a branch outlives what it branched off.
 * - `messages.id` counts in the order of recording, `at` is the time of it.
 * - `message_texts` says what of a message is searched. NUL, where SQLite ends a text, is replaced; an
 *   escaped backslash before `u0000` is put out of the way for that, behind a character that JSON never holds as such.
 *   JSON that is nested deeper than SQLite reads is searched as it is.
 * - `message_index` finds messages by three characters in a row. It holds neither the texts nor the places in them,
 *   which makes it a quarter of the size; the search checks each hit again. `automerge` at its highest
 *   halves the time a new message takes.
 */
const search = `
CREATE TABLE new_sessions (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  surface TEXT NOT NULL,
  cwd TEXT NOT NULL,
  title TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cached_input_tokens INTEGER,
  reasoning_tokens INTEGER,
  parent TEXT
);
INSERT INTO new_sessions SELECT *, NULL FROM sessions;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
CREATE INDEX sessions_by_use ON sessions (updated_at);

CREATE TABLE new_messages (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (session, position)
);
INSERT INTO new_messages (session, position, turn_id, seq, at, data)
  SELECT m.session, m.position, m.turn_id, m.seq, coalesce(t.started_at, s.updated_at), m.data
  FROM messages m JOIN sessions s ON s.number = m.session
  LEFT JOIN turns t ON t.session = m.session AND t.id = m.turn_id
  ORDER BY coalesce(t.started_at, s.updated_at), m.session, m.position;
DROP TABLE messages;
ALTER TABLE new_messages RENAME TO messages;

CREATE VIEW message_texts AS
  SELECT id, CASE WHEN json_valid(clean) THEN json_extract(clean, '$.text') || coalesce((
    SELECT group_concat(char(10) || json_extract(value, '$.name') || ' ' || coalesce(json_extract(value, '$.input'), ''), '')
    FROM json_each(clean, '$.toolCalls')
  ), '') ELSE clean END AS text
  FROM (
    SELECT id, replace(replace(replace(data, '\\\\', char(1)), '\\u0000', '\\ufffd'), char(1), '\\\\') AS clean
    FROM messages
  );
CREATE VIRTUAL TABLE message_index
  USING fts5(text, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1);
INSERT INTO message_index (message_index, rank) VALUES ('automerge', 16);
INSERT INTO message_index (rowid, text) SELECT id, text FROM message_texts;
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO message_index (rowid, text) SELECT id, text FROM message_texts WHERE id = new.id;
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  DELETE FROM message_index WHERE rowid = old.id;
END;
`

/** `cost_usd` is what is known of the cost; `unpriced_calls` are not in it. */
const money = `
ALTER TABLE sessions ADD COLUMN cache_write_tokens INTEGER;
ALTER TABLE sessions ADD COLUMN cost_usd REAL;
ALTER TABLE sessions ADD COLUMN unpriced_calls INTEGER;
`

/** Texts that many turns share, such as the definitions of tools. They are few and stay. */
const keptTexts = `
CREATE TABLE kept_texts (
  digest TEXT PRIMARY KEY,
  data TEXT NOT NULL
) WITHOUT ROWID;
`

/**
 * Indexing a message costs ten times what storing it does: messages wait in `unindexed` until their turn is over or
 * a user searches.
 */
const laterIndex = `
CREATE TABLE unindexed (id INTEGER PRIMARY KEY);
DROP TRIGGER message_added;
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO unindexed (id) VALUES (new.id);
END;
DROP TRIGGER message_removed;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  DELETE FROM message_index WHERE rowid = old.id AND old.id NOT IN (SELECT id FROM unindexed);
  DELETE FROM unindexed WHERE id = old.id;
END;
`

/**
 * What is read other than it was recorded. `first` and `last` are positions of messages, `seq` the last event there was,
 * `data` a JSON list of the messages that stand for them. A later edit outweighs those it covers. `edition` counts.
 */
const edits = `
CREATE TABLE edits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('rewound', 'compressed')),
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  data TEXT NOT NULL
);
CREATE INDEX edits_by_session ON edits (session, id);
ALTER TABLE sessions ADD COLUMN edition INTEGER NOT NULL DEFAULT 0;
`

/**
 * By default FTS5 rewrites the index again and again while a tenth of it or more is removed, all in one transaction. What is
 * marked as removed goes when the index is merged for new messages.
 */
const cheapRemoval = "INSERT INTO message_index (message_index, rank) VALUES ('deletemerge', 0);"

/**
 * FTS5 merges as part of a commit: sixteen parts of the index at once, which takes seconds once they are large. With these
 * settings it does not, and the indexer requests a bounded number of pages (https://www.sqlite.org/fts5.html, section
 * 6.7). An index has room for 2,000 parts; at 1,000 of one level FTS5 still merges automatically.
 */
const boundedMerges = `
INSERT INTO message_index (message_index, rank) VALUES ('automerge', 0);
INSERT INTO message_index (message_index, rank) VALUES ('crisismerge', 1000);
INSERT INTO message_index (message_index, rank) VALUES ('usermerge', 16);
`

/**
 * Sessions that are being removed: their rows go in several commits. From the first on they are invisible
 * (`live_sessions`), their id is free, and nothing can be added to them.
 */
const removals = `
CREATE TABLE removals (session INTEGER PRIMARY KEY REFERENCES sessions (number) ON DELETE CASCADE);
CREATE VIEW live_sessions AS SELECT * FROM sessions WHERE number NOT IN (SELECT session FROM removals);
${['messages', 'events', 'turns', 'edits']
  .map(
    (table) => `CREATE TRIGGER ${table}_need_session BEFORE INSERT ON ${table}
WHEN EXISTS (SELECT 1 FROM removals WHERE session = new.session)
BEGIN SELECT raise(ABORT, 'the session is being removed'); END;`,
  )
  .join('\n')}
`

/** `parent_at`: how many recorded messages of the parent a branch begins with. */
const families = `
ALTER TABLE sessions ADD COLUMN parent_at INTEGER;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
DROP VIEW live_sessions;
CREATE VIEW live_sessions AS SELECT * FROM sessions WHERE number NOT IN (SELECT session FROM removals);
`

/**
 * What plugins store with a session, one row for each change; `data` is NULL for a value that was removed. `position` is the last
 * message there was, `edit` the last edit: an edit of `kind` rewound that came later and covers the position takes the row back,
 * unless `follows` is 0.
 */
const states = `
CREATE TABLE states (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
  name TEXT NOT NULL,
  follows INTEGER NOT NULL CHECK (follows IN (0, 1)),
  position INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  edit INTEGER NOT NULL,
  data TEXT
);
CREATE INDEX states_by_name ON states (session, name, id);
CREATE TRIGGER states_need_session BEFORE INSERT ON states
WHEN EXISTS (SELECT 1 FROM removals WHERE session = new.session)
BEGIN SELECT raise(ABORT, 'the session is being removed'); END;
`

export const migrations: readonly string[] = [
  first,
  search,
  money,
  keptTexts,
  laterIndex,
  edits,
  cheapRemoval,
  boundedMerges,
  removals,
  families,
  states,
]
