/**
 * `svc/sdk/kit/views`: what the `view` of a tool is written with, and how front ends keep and
 * show calls. Values of any shape are read, texts of any length are cut.
 */
export {
  type CallFacts,
  changeCall,
  countLines,
  describeCall,
  formatCall,
  foundCall,
  isCallOver,
  isCallShown,
  reduceCalls,
  startCall,
  type TrackedCall,
} from './calls.ts'
export { countChanges, type FileDiff, formatDiffs, formatReplacement } from './diffs.ts'
export { findView, withFailure } from './find-view.ts'
export {
  escapeMarkdown,
  fenced,
  firstLine,
  formatTitle,
  head,
  languageOf,
  oneLine,
  outputBody,
  tail,
} from './text.ts'
export { field, listIn, numberIn, textIn } from './value.ts'
