/** The schema of `api.db`. */

export const migrations: readonly string[] = [
  `
CREATE TABLE responses (id TEXT PRIMARY KEY, scope TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL,
  data TEXT NOT NULL, accessed_at INTEGER NOT NULL);
CREATE INDEX responses_accessed ON responses (accessed_at);
CREATE TABLE names (scope TEXT NOT NULL, name TEXT NOT NULL, response TEXT NOT NULL REFERENCES responses (id) ON DELETE CASCADE,
  PRIMARY KEY (scope, name));
CREATE INDEX names_response ON names (response);
CREATE TABLE conversations (number INTEGER PRIMARY KEY, words TEXT NOT NULL UNIQUE, session TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE TABLE instructions (session TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE requests (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, at INTEGER NOT NULL, reply TEXT);
CREATE INDEX requests_at ON requests (at);
CREATE TABLE runs (id TEXT PRIMARY KEY, is_over INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX runs_at ON runs (at);
`,
  `
ALTER TABLE responses ADD COLUMN input TEXT NOT NULL DEFAULT '[]';
ALTER TABLE responses ADD COLUMN is_over INTEGER NOT NULL DEFAULT 1;
UPDATE responses SET is_over = 0 WHERE json_extract(data, '$.status') = 'in_progress';
CREATE TABLE items (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE owners (session TEXT PRIMARY KEY, scope TEXT NOT NULL) WITHOUT ROWID;
`,
]
