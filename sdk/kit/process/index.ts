/** `svc/sdk/kit/process`: identities of processes, locks between them, and programs that are run to their end. */
export { type ProgramCall, type ProgramEnd, runProgram } from './bounded-program.ts'
export { type ChildOptions, type ChildResult, type ChildRun, runChild } from './child-program.ts'
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
export { killGroup } from './kill-group.ts'
export { getMachineName, hasEnded, type LockHolder, newHolder, parseHolder } from './lock-holder.ts'
