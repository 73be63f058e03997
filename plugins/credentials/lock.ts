/** A lock between processes: a file that names its holder. That of a process that died is taken over. */
import { readFileSync } from 'node:fs'
import { open, readFile, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { type Clock, errorMessage, type Random, SvcError } from 'svc/sdk'

/** What waiting needs. */
export interface LockHost {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly random: Pick<Random, 'hex' | 'next'>
}

const WAIT_MS = 15_000
/** A holder writes its name at once: a file that stays empty was left by a crash in between. */
const EMPTY_MS = 1000
/** Where the system does not tell processes of one number apart. */
const UNKNOWN = '?'

/** Runs `work` while no other process does. Rejects with `CREDENTIALS_LOCKED` when another one keeps on. */
export async function withLock<T>(file: string, host: LockHost, work: () => Promise<T>): Promise<T> {
  const mine = `${process.pid} ${hostname()} ${identityOf(process.pid) ?? UNKNOWN} ${host.random.hex(8)}`
  await acquire(file, mine, host)
  try {
    return await work()
  } finally {
    await release(file, mine)
  }
}

async function acquire(file: string, mine: string, host: LockHost): Promise<void> {
  const { clock, random } = host
  const start = clock.monotonic()
  for (;;) {
    if (await create(file, mine)) return
    const waited = clock.monotonic() - start
    const holder = await read(file)
    if (waited > WAIT_MS) throw locked(file, holder)
    const isLeft = holder === '' ? waited > EMPTY_MS : holder !== undefined && isGone(holder)
    if (isLeft) await takeAway(file, holder ?? '', host)
    else await clock.sleep(5 + random.next() * 20)
  }
}

async function create(file: string, mine: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(mine)
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new SvcError('CREDENTIALS_WRITE_FAILED', `The lock ${file} cannot be made: ${errorMessage(error)}.`, {
      cause: error,
    })
  }
}

/** Undefined when the file is gone by now. */
async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw locked(file, undefined)
  })
}

/** Removes a dead lock. The marker, named after that very lock, lets only one process at a time do so. */
async function takeAway(file: string, dead: string, host: LockHost): Promise<void> {
  const marker = `${file}.${dead.split(' ').at(-1) || 'empty'}`
  if (!(await create(marker, ''))) {
    await host.clock.sleep(5 + host.random.next() * 20)
    return
  }
  try {
    if ((await read(file)) === dead) await unlink(file)
  } finally {
    await unlink(marker)
  }
}

async function release(file: string, mine: string): Promise<void> {
  if ((await read(file)) === mine) await unlink(file)
}

/** Processes of another machine cannot be asked: they count as alive. */
function isGone(holder: string): boolean {
  const [pid = '', host, identity = UNKNOWN] = holder.split(' ')
  if (host !== hostname()) return false
  if (identity !== UNKNOWN && identityOf(process.pid) !== undefined) {
    const now = identityOf(Number(pid))
    // Earlier versions wrote the ticks alone.
    return identity !== (identity.includes(':') ? now : now?.split(':')[1])
  }
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * Boot and start time in ticks since then; undefined when there is no such process, or no `/proc`.
 * Source: proc_pid_stat(5), fields 3 (state) and 22 (starttime); the name before them may hold any character.
 */
function identityOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const [state, startTime] = [fields[0], fields[19]]
  if (!startTime || state === 'Z' || state === 'X') return undefined
  return `${textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? 'boot'}:${startTime}`
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function locked(file: string, holder: string | undefined): SvcError {
  const who = holder ? `Process ${holder.split(' ')[0]}` : 'Another process'
  const message = `${who} has kept the keys locked for too long. If it is stuck or gone, delete ${file} and try again.`
  return new SvcError('CREDENTIALS_LOCKED', message, { status: 423 })
}
