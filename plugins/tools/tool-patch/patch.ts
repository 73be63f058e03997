/** The work of the tool `patch`: which files, what becomes of them, and how that is told. */
import { errorMessage, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import type { FileChange, FileContent } from 'svc/sdk/safety'
import { applyHunks } from './hunks.ts'
import { type Replaced, replace } from './replace.ts'
import type { PatchDeps, PatchInput } from './tools.ts'
import { parsePatch, type Section } from './v4a.ts'

/** For front ends. */
export interface PatchData {
  readonly files: readonly (Omit<FileChange, 'notes'> & {
    /** The path it had before. */
    readonly movedFrom?: string
  })[]
}

/** Changes files. Throws a `PATCH_...` or `FILE_...` error, and then all files are as they were. */
export async function patch(input: PatchInput, turn: ToolContext, deps: PatchDeps): Promise<ToolResult> {
  return input.mode === 'patch' || (input.patch !== undefined && input.old_string === undefined)
    ? patchFiles(input, turn, deps)
    : replaceInFile(input, turn, deps)
}

async function replaceInFile(input: PatchInput, turn: ToolContext, deps: PatchDeps): Promise<ToolResult> {
  const { path, old_string: old, new_string: after, replace_all: all } = input
  if (path === undefined || old === undefined || after === undefined)
    throw new SvcError('PATCH_INPUT', 'Mode replace needs path, old_string and new_string.')
  if (old === '') throw new SvcError('PATCH_INPUT', 'old_string is empty, and this tool does not write whole files.')
  if (old === after)
    throw new SvcError('PATCH_INPUT', 'old_string and new_string are the same: there is nothing to do.')
  return countFailures([path], turn, deps, async () => {
    let replaced: Replaced | undefined
    const changes = await deps.guard().edit([path], turn, ([file]) => {
      if (file?.text === undefined)
        throw new SvcError('PATCH_MISSING', `${path} does not exist, and this tool does not create files.`)
      replaced = replace(file.text, { name: path, old, new: after, all })
      return [{ text: replaced.text }]
    })
    const notes = replaced?.how === undefined ? [] : [`found ${replaced.how}: check the result`]
    const count = replaced && replaced.count > 1 ? ` in ${replaced.count} places` : ''
    return createResult(
      changes.map((change) => ({ name: path + count, change })),
      notes,
    )
  })
}

async function patchFiles(input: PatchInput, turn: ToolContext, deps: PatchDeps): Promise<ToolResult> {
  if (input.patch === undefined) throw new SvcError('PATCH_INPUT', 'Mode patch needs patch: the text of it.')
  const sections = parsePatch(input.patch)
  const paths = sections.flatMap((section) => [section.path, ...listMoveTargets(section)])
  for (const path of paths) await checkPath(path, turn, deps)
  return countFailures(paths, turn, deps, async (current) => {
    const changes = await deps.guard().edit(paths, turn, (files) => {
      const outside = files.find((file) => file.outside)
      if (outside) throw outsideError(outside.path)
      let at = 0
      return sections.flatMap((section) => {
        const [file, target] = files.slice(at)
        current.path = section.path
        at += 1 + listMoveTargets(section).length
        return planFiles(section, file?.text, { exists: target?.text !== undefined, mode: file?.mode })
      })
    })
    return createResult(namedChanges(sections, changes), [])
  })
}

/** The path of a move; none when it moves nowhere. */
function listMoveTargets(section: Section): string[] {
  const moves = section.kind === 'update' && section.moveTo !== undefined && section.moveTo !== section.path
  return moves ? [section.moveTo] : []
}

async function checkPath(path: string, { cwd, sessionId }: ToolContext, deps: PatchDeps): Promise<void> {
  if (path.split(/[/\\]/).includes('..') || path.startsWith('~')) throw outsideError(path)
  const { outside } = await deps.guard().writable(path, cwd, { sessionId })
  if (outside) throw outsideError(path)
}

function outsideError(path: string): SvcError {
  return new SvcError('PATCH_PATH', `${path} is outside the working folder; a patch changes files below it only.`)
}

function planFiles(
  section: Section,
  text: string | undefined,
  target: { readonly exists: boolean; readonly mode: number | undefined },
): FileContent[] {
  const { path } = section
  if (section.kind === 'add') {
    if (text !== undefined) throw new SvcError('PATCH_EXISTS', `${path} exists already; update it instead.`)
    return [{ text: section.text }]
  }
  if (text === undefined) throw new SvcError('PATCH_MISSING', `${path} does not exist. Nothing was changed.`)
  if (section.kind === 'delete') return [{ text: undefined }]
  const after = applyHunks(path, text, section.hunks)
  const [moveTo] = listMoveTargets(section)
  if (moveTo === undefined) return [{ text: after }]
  if (target.exists) throw new SvcError('PATCH_EXISTS', `${moveTo} exists already; ${path} was not moved there.`)
  return [{ text: undefined }, { text: after, mode: target.mode }]
}

/** Counts failures of files; from the third on the error says so. `work` names the file that it is at, if there are several. */
async function countFailures(
  paths: readonly string[],
  { sessionId }: ToolContext,
  { misses }: PatchDeps,
  work: (current: { path?: string | undefined }) => Promise<ToolResult>,
): Promise<ToolResult> {
  const current = { path: paths.length === 1 ? paths[0] : undefined }
  try {
    const result = await work(current)
    for (const path of paths) misses.clear(sessionId, path)
    return result
  } catch (error) {
    if (!(error instanceof SvcError) || !/^PATCH_(NOT_FOUND|AMBIGUOUS)$/.test(error.code)) throw error
    const advice = current.path === undefined ? '' : misses.add(sessionId, current.path)
    throw advice === '' ? error : new SvcError(error.code, errorMessage(error) + advice, { cause: error })
  }
}

interface Named {
  readonly name: string
  readonly change: FileChange
  readonly movedFrom?: string
}

/** One entry for each file: a move is told once, with what changed in the text. */
function namedChanges(sections: readonly Section[], changes: readonly FileChange[]): Named[] {
  let at = 0
  return sections.flatMap((section) => {
    const [change, moved] = changes.slice(at)
    const [moveTo] = listMoveTargets(section)
    at += moveTo === undefined ? 1 : 2
    if (moveTo !== undefined && moved) return [{ name: moveTo, change: moved, movedFrom: section.path }]
    return change ? [{ name: section.path, change }] : []
  })
}

const CHANGE_WORDS = { created: 'Created', replaced: 'Changed', removed: 'Deleted', unchanged: 'Unchanged' } as const

function createResult(named: readonly Named[], notes: readonly string[]): ToolResult {
  const lines = named.map(({ name, change, movedFrom }) => {
    const counts = change.diff === undefined ? '' : ` (+${change.added} -${change.removed})`
    return movedFrom === undefined ? `${CHANGE_WORDS[change.change]} ${name}${counts}` : `Moved ${movedFrom} to ${name}`
  })
  const remarks = [...notes, ...named.flatMap(({ change }) => change.notes)].map((note) => `[${note}]`)
  const files = named.map(({ change: { notes: _, ...change }, movedFrom }) => {
    return { ...change, ...(movedFrom === undefined ? {} : { movedFrom }) }
  })
  const data: PatchData = { files }
  return { text: [...lines, ...remarks].join('\n'), data }
}
