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
  /** It supervises the gateways of other profiles too: a signal to it would reach all of them. */
  readonly isShared?: boolean
}

/** The lock, or who has it. `orphan` is a gateway that runs although its supervisor died. */
export type Taking =
  | { readonly instance: Instance; readonly orphan?: ProcessMark }
  | { readonly instance: undefined; readonly holder: Holder }

/** Takes it, unless a running process has it. */
export function takeInstance(file: string, random: Pick<Random, 'hex'>, together: readonly string[] = []): Taking {
  const attempt = tryFileLock(file, random)
  if (!attempt.lock) return { instance: undefined, holder: toHolder(attempt.holder) ?? { pid: 0, identity: '' } }
  const orphan = toHolder(attempt.lock.previous)?.child
  return { instance: new Instance(attempt.lock, together), ...(orphan && isRunning(orphan) && { orphan }) }
}

/** The running process that has it. */
export function findHolder(file: string): Holder | undefined {
  return toHolder(findLockHolder(file))
}

/** The lock, while this process holds it. */
export class Instance {
  readonly #lock: FileLock

  readonly #together: readonly string[]

  /** `together` are the profiles whose gateways the process supervises. */
  constructor(lock: FileLock, together: readonly string[]) {
    this.#lock = lock
    this.#together = together
    if (together.length > 1) lock.note({ together })
  }

  /** Records which process is supervised, so that a later holder can end it after a crash. */
  note(child: ProcessMark): void {
    this.#lock.note({ child, ...(this.#together.length > 1 && { together: this.#together }) })
  }

  release(): void {
    this.#lock.release()
  }
}

function toHolder(holder: LockHolder | undefined): Holder | undefined {
  if (!holder) return undefined
  const { child, together } = (holder.note ?? {}) as { readonly child?: ProcessMark; readonly together?: unknown }
  return {
    ...{ pid: holder.pid, identity: holder.identity },
    ...(typeof child?.pid === 'number' && { child }),
    ...(Array.isArray(together) && { isShared: true }),
  }
}
