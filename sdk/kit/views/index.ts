/** `svc/sdk/kit/views`: what the `view` of a tool is written with. Values of any shape are read, texts of any length are cut. */
export { countChanges, type FileDiff, formatDiffs, formatReplacement } from './diffs.ts'
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
