/**
 * Edits the text of a YAML file so that only the lines of the edited keys change: comments, order, quotes, blank lines,
 * indentation, anchors and line endings of everything else stay byte for byte. Every edit is proven by parsing its result.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ConfigEdit } from 'svc/sdk'
import { visit } from 'yaml'
import { valueAt } from './config-path.ts'
import { insertItem, insertKey, removeEntry, renameKey } from './yaml-entries.ts'
import { placeOf, rangeEnd, unsafe } from './yaml-place.ts'
import { replaceValue } from './yaml-replace.ts'
import { parseSource, readSource, type Values, type YamlSource } from './yaml-source.ts'
import { applyStep, type Path, type Same, type Step, stepsToRemove, stepsToSet } from './yaml-steps.ts'
import { applySplices, entryHead, lineStart, type Splice } from './yaml-tokens.ts'

/** One edit with its path taken apart; `undefined` removes. */
export type YamlEdit = Omit<ConfigEdit, 'path'> & { readonly path: Path }

/** How an edit is done. */
export interface EditOptions {
  /** The file, as errors name it. */
  readonly file: string
  /** When a value that is there counts as the wanted one and stays as it is written. */
  readonly same?: Same
}

/** The text with the edits made. Throws `CONFIG_UNREADABLE`, `CONFIG_PATH`, `CONFIG_ALIAS` or `CONFIG_EDIT_UNSAFE`. */
export function editYaml(text: string, edits: readonly YamlEdit[], options: EditOptions): string {
  let source = readSource(text, options.file)
  for (const { path, value } of edits) {
    const steps =
      value === undefined
        ? stepsToRemove(source.values, withEmptyParents(source, path))
        : stepsToSet(source.values, path, plain(value), options.same)
    for (const step of steps) source = take(source, step)
  }
  return source.text
}

/** The text with a key renamed in its place; unchanged when it is not there. */
export function renameInYaml(text: string, path: Path, key: string, file: string): string {
  const source = readSource(text, file)
  return valueAt(source.values, path) === undefined ? text : take(source, { kind: 'rename', path, key }).text
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
  return isDeepStrictEqual(valueAt(values, step.path), valueAt(expected, step.path))
}

/** A block that would be left empty goes with its last key, unless comments stand in it. */
function withEmptyParents(source: YamlSource, path: Path): Path {
  let gone = path
  while (gone.length > 1 && valueAt(source.values, gone) !== undefined) {
    const parent = gone.slice(0, -1)
    const holder = valueAt(source.values, parent)
    const isLastKey = !Array.isArray(holder) && Object.keys(holder as object).length === 1
    const isListItem = Array.isArray(valueAt(source.values, parent.slice(0, -1)))
    if (!isLastKey || isListItem || holdsComments(source, parent)) return gone
    gone = parent
  }
  return gone
}

function holdsComments(source: YamlSource, path: Path): boolean {
  const start = lineStart(source.text, entryHead(placeOf(source, path).entry))
  const end = rangeEnd(source, path) ?? start
  return /(^|\s)#/m.test(source.text.slice(start, end))
}

/** Only what YAML can hold: no functions, no `undefined` inside. */
function plain(value: unknown): unknown {
  return value === null ? null : JSON.parse(JSON.stringify(value))
}
