/** The SQLite library. Its native code is loaded when the first database is opened: most starts need none of it. */
import { createRequire } from 'node:module'
import { sep } from 'node:path'
import Driver, { type Database } from 'better-sqlite3'
import { SvcError } from 'svc/sdk'
import { quotePath } from 'svc/sdk/kit/terminal'

/** An open connection of the library. */
export type Connection = Database

/** Milliseconds a statement waits for the lock of another process. */
export const busyTimeoutMs = 5000

/**
 * Opens a connection; the file is made when it is missing. Throws the library's own errors, or `STORAGE_DRIVER` when
 * the library itself does not run.
 */
export function connect(file: string): Connection {
  try {
    return new Driver(file, { timeout: busyTimeoutMs })
  } catch (error) {
    throw wrongBuild(error) ?? error
  }
}

/** For a look at a file that exists, which nothing is written to. Throws as `connect` does. */
export function openReadOnly(file: string): Connection {
  try {
    return new Driver(file, { timeout: busyTimeoutMs, readonly: true, fileMustExist: true })
  } catch (error) {
    throw wrongBuild(error) ?? error
  }
}

/** Native code is built for one kind of Node; after an upgrade of Node it has to be built again. */
export function wrongBuild(error: unknown): SvcError | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code !== 'ERR_DLOPEN_FAILED' && code !== 'MODULE_NOT_FOUND') return undefined
  const folder = findInstallation()
  const build = `npm rebuild better-sqlite3${folder === undefined ? ' (in the folder of svc)' : ` --prefix ${quotePath(folder)}`}`
  const message = `SQLite was not built for this Node (${process.version}). Use the Node that svc was installed with, install svc again with this one, or build SQLite: ${build}`
  return new SvcError('STORAGE_DRIVER', message, { cause: error })
}

/** The folder whose node_modules holds the library. */
function findInstallation(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve('better-sqlite3/package.json')
    const at = file.lastIndexOf(`${sep}node_modules${sep}`)
    return at > 0 ? file.slice(0, at) : undefined
  } catch {
    // It is not installed at all.
    return undefined
  }
}
