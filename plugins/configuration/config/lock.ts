/** One process at a time writes the configuration. */
import { type Clock, errorMessage, type Random, SvcError } from 'svc/sdk'
import { type LockHolder, withFileLock } from 'svc/sdk/kit/process'
import { toWriteError } from './atomic-write.ts'

/** Where and how long to wait. */
export interface LockOptions {
  readonly file: string
  readonly clock: Clock
  readonly random: Random
}

/** Runs `work` while holding the lock. Throws `CONFIG_LOCKED` if another process keeps it for ten seconds. */
export async function withLock<T>(options: LockOptions, work: () => Promise<T>): Promise<T> {
  const { file } = options
  let isHeld = false
  try {
    return await withFileLock({ ...options, onTimeout: (holder) => locked(file, holder) }, () => {
      isHeld = true
      return work()
    })
  } catch (error) {
    if (isHeld || error instanceof SvcError) throw error
    if ((error as NodeJS.ErrnoException).syscall !== 'read') throw toWriteError(file, error)
    const message = `The lock ${file} cannot be read: ${errorMessage(error)}. Remove it.`
    throw new SvcError('CONFIG_LOCKED', message, { cause: error })
  }
}

function locked(file: string, holder: LockHolder | undefined): SvcError {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  const message = `${who} has been writing the configuration for too long. If it is stuck or gone, delete ${file} and try again.`
  return new SvcError('CONFIG_LOCKED', message, { status: 423 })
}
