/** The schema of `waiting.db`. */

export const migrations: readonly string[] = [
  `CREATE TABLE waiting (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    pid INTEGER NOT NULL,
    text TEXT NOT NULL,
    images TEXT
  );
  CREATE INDEX waiting_by_session ON waiting (session, number);`,
  'ALTER TABLE waiting ADD COLUMN key TEXT',
  // The process, where several machines share the table: there a pid says nothing.
  'ALTER TABLE waiting ADD COLUMN owner TEXT',
]
