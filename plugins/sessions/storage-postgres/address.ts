/** An address of a server: `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=FILE`. */
import { isIP } from 'node:net'
import { SvcError } from 'svc/sdk'

/** How a connection is encrypted, as `sslmode` of PostgreSQL names it. */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

/** Where a server is, and how it is talked to. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password?: string
  readonly mode: Mode
  /** Files in PEM: the authorities that are trusted, and the own certificate with its key. */
  readonly rootFile?: string
  readonly certFile?: string
  readonly keyFile?: string
}

const FILES = { sslrootcert: 'rootFile', sslcert: 'certFile', sslkey: 'keyFile' } as const

/**
 * Throws `STORAGE_URL_INVALID`, whose message has nothing of the address but the names of options. Encryption is verified in full
 * unless the address says otherwise, and left out on this machine.
 */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : refuse('it cannot be read')
  const database = decode(url.pathname.slice(1))
  if (database === '' || database.includes('/')) refuse('it names no database')
  if (url.username === '') refuse('it names no user')
  const known = ['sslmode', ...Object.keys(FILES)]
  const strange = [...url.searchParams.keys()].find((name) => !known.includes(name))
  if (strange !== undefined) refuse(`it has the option "${strange}"; known are ${known.join(', ')}`)
  const host = decode(url.hostname).replace(/^\[|\]$/g, '') || 'localhost'
  const mode = url.searchParams.get('sslmode') ?? (isLoopback(host) ? 'disable' : 'verify-full')
  if (!isMode(mode)) refuse(`sslmode is not one of ${MODES.join(', ')}`)
  const files = Object.entries(FILES).flatMap(([option, field]) => {
    const file = url.searchParams.get(option)
    return file ? [[field, file]] : []
  })
  return {
    host,
    port: Number(url.port || 5432),
    database,
    user: decode(url.username),
    ...(url.password !== '' && { password: decode(url.password) }),
    mode: mode as Mode,
    ...Object.fromEntries(files),
  }
}

function isMode(text: string): text is Mode {
  return MODES.some((mode) => mode === text)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return refuse('it has a percent sign that is no escape')
  }
}

function refuse(why: string): never {
  throw new SvcError(
    'STORAGE_URL_INVALID',
    `The address of the database server is wrong: ${why}. It looks like postgres://user@host:5432/database.`,
  )
}
