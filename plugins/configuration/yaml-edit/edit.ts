/**
 * Edits a YAML text so that only the lines of the edited keys change: comments, order, quotes, blank lines,
 * indentation, anchors and line endings of everything else stay byte for byte. Every edit is proven by parsing its result.
 */
import { isDeepStrictEqual } from 'node:util'
import type { YamlChange } from 'svc/sdk/host'
import { getAtPath } from 'svc/sdk/host'
import { visit } from 'yaml'
import { insertItem, insertKey, removeEntry, renameKey } from './entries.ts'
import { findPlace, rangeEnd, unsafe } from './find-entry.ts'
import { replaceValue } from './replace.ts'
import { parseSource, readSource, type Values, type YamlSource } from './source.ts'
import { applyStep, type Path, type Step, stepsToRemove, stepsToSet } from './steps.ts'
import { applySplices, entryHead, lineStart, type Splice } from './tokens.ts'

/** The text with the changes made. Throws as `YamlEdit.edit` says. */
export function editText(text: string, changes: readonly YamlChange[]): string {
  let source = readSource(text)
  for (const change of changes) for (const step of stepsFor(source, change)) source = take(source, step)
  return source.text
}

function stepsFor(source: YamlSource, change: YamlChange): Step[] {
  const { path } = change
  if ('rename' in change)
    return getAtPath(source.values, path) === undefined ? [] : [{ kind: 'rename', path, key: change.rename }]
  if (change.value === undefined) return stepsToRemove(source.values, withEmptyParents(source, path))
  return stepsToSet(source.values, path, toPlainData(change.value))
}

/** The first way to make a step whose result parses and holds exactly the expected values. */
function take(source: YamlSource, step: Step): YamlSource {
  const expected = applyStep(source.values, step)
  for (const splices of waysTo(source, step)) {
    const result = parseSource(applySplices(source.text, splices))
    if ('values' in result && isExpected(source, result.values, expected, step)) return result
  }
  throw unsafe(step.path)
}

function waysTo(source: YamlSource, step: Step): readonly (readonly Splice[])[] {
  switch (step.kind) {
    case 'replace':
      return replaceValue(source, step.path, step.value)
    case 'insert':
      return insertKey(source, step.path, step.value)
    case 'item':
      return insertItem(source, step.path, step.value)
    case 'remove':
      return removeEntry(source, step.path)
    case 'rename':
      return renameKey(source, step.path, step.key)
  }
}

/** A value that others alias changes with them; then only the edited place can be compared. */
function isExpected(before: YamlSource, values: Values, expected: Values, step: Step): boolean {
  if (isDeepStrictEqual(values, expected)) return true
  let aliased = false
  visit(before.document, {
    Alias() {
      aliased = true
      return visit.BREAK
    },
  })
  if (!aliased || step.kind === 'rename') return false
  return isDeepStrictEqual(getAtPath(values, step.path), getAtPath(expected, step.path))
}

/** A block that would be left empty goes with its last key, unless comments stand in it. */
function withEmptyParents(source: YamlSource, path: Path): Path {
  let gone = path
  while (gone.length > 1 && getAtPath(source.values, gone) !== undefined) {
    const parent = gone.slice(0, -1)
    const holder = getAtPath(source.values, parent)
    const isLastKey = !Array.isArray(holder) && Object.keys(holder as object).length === 1
    const isListItem = Array.isArray(getAtPath(source.values, parent.slice(0, -1)))
    if (!isLastKey || isListItem || holdsComments(source, parent)) return gone
    gone = parent
  }
  return gone
}

function holdsComments(source: YamlSource, path: Path): boolean {
  const start = lineStart(source.text, entryHead(findPlace(source, path).entry))
  const end = rangeEnd(source, path) ?? start
  return /(^|\s)#/m.test(source.text.slice(start, end))
}

/** Only what YAML can hold: no functions, no `undefined` inside. */
function toPlainData(value: unknown): unknown {
  return value === null ? null : JSON.parse(JSON.stringify(value))
}
