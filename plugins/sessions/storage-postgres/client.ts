/** The library that talks to PostgreSQL. Imported when a server is first used. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import pg from 'pg'
import type { Address } from './address.ts'

export type Client = pg.Client
export type PoolClient = pg.PoolClient
export type Pool = pg.Pool
export type QueryResult<Row extends object> = pg.QueryResult<Row>

/** How connections are made. */
export interface ClientOptions {
  readonly address: Address
  readonly connections: number
  readonly timeoutMs: number
}

/** Milliseconds after which the server ends a transaction of a process that does nothing any more. */
const IDLE_IN_TRANSACTION_MS = 60_000
const INT8 = 20
const NUMERIC = 1700

const types = {
  // Numbers of a store are at most 2^53; counts and sums are of these types.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

function readOptions({ address, timeoutMs }: ClientOptions): pg.ClientConfig {
  const { host, port, database, user, password } = address
  return {
    host,
    port,
    database,
    user,
    // Undefined would let the library look for one in the environment and in files of the user.
    password: password ?? '',
    ssl: readTls(address),
    types,
    keepAlive: true,
    application_name: 'svc',
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    lock_timeout: timeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  }
}

export function createPool(options: ClientOptions): Pool {
  return new pg.Pool({
    ...readOptions(options),
    max: options.connections,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  })
}

/** A connection that stays open for notices; it does not end a statement that waits. */
export function createClient(options: ClientOptions): Client {
  return new pg.Client(readOptions(options))
}

function readTls({ mode, host, rootFile, certFile, keyFile }: Address): pg.ClientConfig['ssl'] {
  if (mode === 'disable') return false
  const read = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, 'utf8'))
  return {
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    // The name that the certificate has to have; an address of numbers is not sent as one (RFC 6066, section 3).
    ...(mode === 'verify-full' && (isIP(host) ? { host } : { servername: host })),
    ca: read(rootFile),
    cert: read(certFile),
    key: read(keyFile),
  }
}
