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

export const migrations: readonly string[] = [first]
