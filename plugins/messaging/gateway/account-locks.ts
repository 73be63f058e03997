/**
 * Locks between the processes of one machine: one account of a platform is used by one process. A lock is a socket that is
 * listened to, so the system itself takes it back from a process that dies.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** A lock that is held. */
export interface Lock {
  release(): Promise<void>
}

/** The lock on `subject`, of which only a hash is seen; undefined while another process, or this one, holds it. */
export async function takeLock(subject: string): Promise<Lock | undefined> {
  const path = lockPath(subject)
  const server = await listen(path)
  if (server) return createLock(server)
  if (await isHeld(path)) return undefined
  // Its process died and left the file behind.
  rmSync(path, { force: true })
  const second = await listen(path)
  return second && createLock(second)
}

function createLock(server: Server): Lock {
  server.unref()
  return { release: () => new Promise((done) => server.close(() => done())) }
}

/** Where a lock is held. */
export function lockPath(subject: string): string {
  const name = createHash('sha256').update(subject).digest('hex').slice(0, 32)
  if (process.platform === 'win32') return `\\\\.\\pipe\\svc-lock-${name}`
  const folder = join(tmpdir(), `svc-locks-${userInfo().username.replace(/\W/g, '_')}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, `${name}.sock`)
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(path, () => resolve(server))
  })
}

function isHeld(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const is = (held: boolean) => {
      socket.destroy()
      resolve(held)
    }
    socket.once('connect', () => is(true)).once('error', () => is(false))
  })
}
