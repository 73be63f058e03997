/** Where the processes of one home are reachable: one socket each, in a folder that only its owner can enter. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'

/** The longest address of a Unix socket that every system takes (sun_path of macOS: 104 bytes with the end mark). */
const MAX_ADDRESS = 103
/** Room for the name of a socket in its folder. */
const NAME_ROOM = 20
/** A socket that refuses may belong to a process that is just opening it. */
const FRESH_MS = 10_000
const PIPES = '\\\\.\\pipe\\'

/** One address at which a process may be reached. */
export interface Address {
  readonly path: string
  readonly pid: number
}

/** The folder of the sockets of a home. A home whose path is too long for one has it among the temporary files. */
export function socketFolder(home: string): string {
  const folder = join(home, 'run')
  if (Buffer.byteLength(folder) + NAME_ROOM <= MAX_ADDRESS) return folder
  return join(tmpdir(), `svc-${mark(home)}`)
}

/** The address of a process; further attempts give further ones, as several runtimes can share one process. */
export function ownAddress(home: string, pid: number, attempt: number): string {
  const name = attempt === 0 ? `${pid}` : `${pid}-${attempt}`
  if (process.platform === 'win32') return `${PIPES}svc-${mark(home)}-${name}`
  return join(socketFolder(home), `${name}.sock`)
}

/** Every address in use, by process id; those of ended processes may be among them. */
export function addresses(home: string): Address[] {
  const windows = process.platform === 'win32'
  const folder = windows ? PIPES : socketFolder(home)
  const pattern = windows ? new RegExp(`^svc-${mark(home)}-(\\d+)(-\\d+)?$`) : /^(\d+)(-\d+)?\.sock$/
  if (!windows && !existsSync(folder)) return []
  const found = readdirSync(folder).flatMap((name) => {
    const pid = pattern.exec(name)?.[1]
    return pid ? [{ path: windows ? PIPES + name : join(folder, name), pid: Number(pid) }] : []
  })
  return found.sort((a, b) => a.pid - b.pid || a.path.localeCompare(b.path))
}

/** Makes the folder, for its owner only. Throws `CONTROL_UNAVAILABLE` when that cannot be. */
export function prepareFolder(home: string): void {
  if (process.platform === 'win32') return
  const folder = socketFolder(home)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) throw new Error('it belongs to another user')
    chmodSync(folder, 0o700)
  } catch (cause) {
    throw unavailable(`${folder} cannot be used: ${errorMessage(cause)}.`, cause)
  }
}

/** Why other commands cannot reach this process. */
export function unavailable(reason: string, cause?: unknown): SvcError {
  return new SvcError('CONTROL_UNAVAILABLE', `Other svc commands cannot reach this process: ${reason}`, { cause })
}

/** Takes away the socket of a process that has ended. `now` is in milliseconds since 1970. */
export function removeStale({ path, pid }: Address, now: number): void {
  if (process.platform === 'win32' || (isPidInUse(pid) && isFresh(path, now))) return
  rmSync(path, { force: true })
}

function isFresh(path: string, now: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && Math.abs(now - stat.mtimeMs) < FRESH_MS
}

function mark(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16)
}
