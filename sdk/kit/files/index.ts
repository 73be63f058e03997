/** `svc/sdk/kit/files`: files that survive a crash, the text of documents, the length of sounds. */
export { type DocumentText, documentText } from './document-text.ts'
export { keepNewest } from './keep-newest.ts'
export { findMediaType } from './media-types.ts'
export { createSkillHash, SKIPPED_IN_SKILLS, type SkillHash } from './skill-hash.ts'
export { drawWaveform, measureSound, type SoundLength } from './sound.ts'
export { completeSwitch, getFolderNextTo, switchFolder } from './switch-folder.ts'
export {
  type AtomicWriteOptions,
  flushFolder,
  flushFolderSync,
  isTemporaryName,
  resolveLink,
  writeAtomically,
  writeAtomicallySync,
} from './write-atomically.ts'
export { leadsOut, readZip, type ZipLimits } from './zip.ts'
