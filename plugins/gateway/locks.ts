/** Locks that hold between the processes of one machine: one account of a platform is used by one process. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** A lock that is held. */
export interface Lock {
  release(): void
}

/** The lock on `subject`, of which only a hash is written; the process id of whoever holds it when it is taken. */
export function takeLock(subject: string): Lock | { readonly heldBy: number } {
  const folder = join(tmpdir(), `svc-locks-${userInfo().username.replace(/\W/g, '_')}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${createHash('sha256').update(subject).digest('hex').slice(0, 32)}.lock`)
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
      return { release: () => release(file) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = holderOf(file)
      if (holder !== undefined && isAlive(holder)) return { heldBy: holder }
      rmSync(file, { force: true })
    }
  }
  return { heldBy: holderOf(file) ?? 0 }
}

function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

/** Two runtimes of one process may want the same: they are two. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function release(file: string): void {
  if (holderOf(file) === process.pid) rmSync(file, { force: true })
}
