/** `svc/sdk/kit/files`: files that survive a crash. */
export { keepNewest } from './keep-newest.ts'
export {
  type AtomicWriteOptions,
  flushFolder,
  flushFolderSync,
  resolveLink,
  writeAtomically,
  writeAtomicallySync,
} from './write-atomically.ts'
