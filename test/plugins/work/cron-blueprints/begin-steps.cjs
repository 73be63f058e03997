/** Loaded after `kill-at-step.cjs`: steps are counted from the start of the process, and the moment right after each write of suggestions is one. */
const fs = require('node:fs')
const { step, begin } = globalThis.svcSteps
const rename = fs.renameSync
fs.renameSync = (from, to) => {
  rename(from, to)
  if (String(to).endsWith('suggestions.json')) step('after suggestions')
}
begin()
