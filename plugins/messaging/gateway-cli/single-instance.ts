/** One gateway for each home: a lock file that names the process which holds it. */
import type { Random } from 'svc/sdk'
import {
  type FileLock,
  findLockHolder,
  isRunning,
  type LockHolder,
  type ProcessMark,
  tryFileLock,
} from 'svc/sdk/kit/process'

/** The process that holds it. */
export interface Holder extends ProcessMark {
  /** The gateway itself, where the holder supervises it. */
  readonly child?: ProcessMark
}

/** The lock, or who has it. `orphan` is a gateway that runs although its supervisor died. */
export type Taking =
  | { readonly instance: Instance; readonly orphan?: ProcessMark }
  | { readonly instance: undefined; readonly holder: Holder }

/** Takes it, unless a running process has it. */
export function takeInstance(file: string, random: Pick<Random, 'hex'>): Taking {
  const attempt = tryFileLock(file, random)
  if (!attempt.lock) return { instance: undefined, holder: toHolder(attempt.holder) ?? { pid: 0, identity: '' } }
  const orphan = toHolder(attempt.lock.previous)?.child
  return { instance: new Instance(attempt.lock), ...(orphan && isRunning(orphan) && { orphan }) }
}

/** The running process that has it. */
export function findHolder(file: string): Holder | undefined {
  return toHolder(findLockHolder(file))
}

/** The lock, while this process holds it. */
export class Instance {
  readonly #lock: FileLock

  constructor(lock: FileLock) {
    this.#lock = lock
  }

  /** Records which process is supervised, so that a later holder can end it after a crash. */
  note(child: ProcessMark): void {
    this.#lock.note({ child })
  }

  release(): void {
    this.#lock.release()
  }
}

function toHolder(holder: LockHolder | undefined): Holder | undefined {
  if (!holder) return undefined
  const child = (holder.note as { readonly child?: ProcessMark } | undefined)?.child
  return { pid: holder.pid, identity: holder.identity, ...(typeof child?.pid === 'number' && { child }) }
}
