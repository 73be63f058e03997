/**
 * Turns what PostgreSQL and the network say into errors for people. The codes are those of
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
import { errorMessage, SvcError } from 'svc/sdk'
import type { StoreErrorCode } from 'svc/sdk/store'
import type { Address } from './address.ts'

/** Others were in the way: the same may succeed at once. */
const inTheWay = /^(40001|40P01|55P03)$/
/** The connection is gone, the server is beginning, ending, or has no room for another connection. */
const away =
  /^(08...|57P0[1-5]|53300|25P0[345]|E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN))$/
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Client was closed)/
const tls = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

function getCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** Whether the connection, or the server, is not there any more. */
export function isAway(error: unknown): boolean {
  return away.test(getCode(error)) || lostConnection.test(errorMessage(error))
}

/** The error to throw for `error`. Errors of wrong SQL stay as they are. */
export function explain(error: unknown, { host, port, database, user }: Address): unknown {
  if (error instanceof SvcError) return error
  const code = getCode(error)
  const server = `The database server ${host}:${port}`
  const say = (kind: StoreErrorCode, text: string, status?: number) =>
    new SvcError(kind, `${text} (${errorMessage(error)}).`, { cause: error, ...(status && { status }) })
  if (isAway(error)) return say('STORAGE_UNAVAILABLE', `${server} cannot be reached or has cut the connection`, 503)
  if (inTheWay.test(code)) return say('STORAGE_BUSY', `${server} was busy with others for too long`, 503)
  if (code === '57014') return say('STORAGE_TIMEOUT', `${server} ended a statement that took too long`, 503)
  if (code === '25006') return say('STORAGE_READ_ONLY', `${server} takes no changes`, 503)
  if (code.startsWith('23')) return say('STORAGE_CONFLICT', 'A row was refused')
  if (code.startsWith('28'))
    return say('STORAGE_UNAVAILABLE', `${server} refuses the user "${user}" or the password`, 503)
  if (code === '3D000') return say('STORAGE_UNAVAILABLE', `${server} has no database "${database}"`, 503)
  if (code === '42501') return say('STORAGE_UNAVAILABLE', `${server} does not let "${user}" do this`, 503)
  if (code.startsWith('53')) return say('STORAGE_UNAVAILABLE', `${server} has no room left`, 503)
  if (tls.test(code) || /SSL/.test(errorMessage(error)))
    return say('STORAGE_UNAVAILABLE', `${server} cannot be talked to encrypted as sslmode of the address asks for`, 503)
  return error
}

/** Contract: `retries` of `StoreServer`. */
export function getRetry(error: unknown): 'now' | 'later' | undefined {
  if (!(error instanceof SvcError)) return undefined
  if (error.code === 'STORAGE_BUSY') return 'now'
  return error.code === 'STORAGE_UNAVAILABLE' && isAway(error.cause) ? 'later' : undefined
}
