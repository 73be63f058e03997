/** The SQLite library, loaded when the first database is opened: it is native code, and most starts need none of it. */
import { createRequire } from 'node:module'
import type BetterSqlite3 from 'better-sqlite3'

/** An open connection of the library. */
export type Connection = BetterSqlite3.Database

/** Milliseconds a statement waits for the lock of another process. */
const busyTimeoutMs = 5000

/** Opens a connection; the file is made when it is missing. Throws the library's own errors. */
export function connect(file: string): Connection {
  const Driver = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3
  return new Driver(file, { timeout: busyTimeoutMs })
}
