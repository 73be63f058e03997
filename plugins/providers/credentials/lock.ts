/** One process at a time writes `auth.json`. */
import { type Clock, errorMessage, type Random, SvcError } from 'svc/sdk'
import { type LockHolder, withFileLock } from 'svc/sdk/kit/process'

export interface LockDeps {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly random: Pick<Random, 'hex' | 'next'>
}

const WAIT_MS = 15_000

/** Runs `work` while holding the lock. Throws `CREDENTIALS_LOCKED` if another process keeps it too long. */
export async function withLock<T>(file: string, deps: LockDeps, work: () => Promise<T>): Promise<T> {
  let isHeld = false
  try {
    return await withFileLock({ file, ...deps, waitMs: WAIT_MS, onTimeout: (holder) => locked(file, holder) }, () => {
      isHeld = true
      return work()
    })
  } catch (error) {
    if (isHeld || error instanceof SvcError) throw error
    const message = `The lock ${file} cannot be written: ${errorMessage(error)}.`
    throw new SvcError('CREDENTIALS_WRITE_FAILED', message, { cause: error })
  }
}

function locked(file: string, holder: LockHolder | undefined): SvcError {
  const who = holder ? `Process ${holder.pid}` : 'Another process'
  const message = `${who} has kept the keys locked for too long. If it is stuck or gone, delete ${file} and try again.`
  return new SvcError('CREDENTIALS_LOCKED', message, { status: 423 })
}
