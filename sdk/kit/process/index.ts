/** `svc/sdk/kit/process`: identities of processes, and locks between them. */
export {
  type FileLock,
  findLockHolder,
  type LockAttempt,
  type LockOptions,
  tryFileLock,
  withFileLock,
} from './file-lock.ts'
export {
  findProcess,
  isDescendantOf,
  isPidInUse,
  isRunning,
  isSameProcess,
  markProcess,
  ownProcess,
  type ProcessFacts,
  type ProcessMark,
} from './identity.ts'
export { getMachineName, hasEnded, type LockHolder, newHolder, parseHolder } from './lock-holder.ts'
