/** The service `GuardedFiles`: every rule about a path in one place, and changes of several files at once. */
import { readdir } from 'node:fs/promises'
import { posix, resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { FileBytes, FileChange, FileContent, FileSnapshot, GuardedFiles, ResolvedPath } from 'svc/sdk/safety'
import type { ExistingFile, FileAccess, PlannedWrite } from './access.ts'
import { compare } from './diff.ts'
import type { There } from './environment-files.ts'
import { fileError } from './file-error.ts'
import { binaryKind, showSize, textEncoding } from './file-kind.ts'
import { findTarget } from './link-target.ts'
import { createJudge, findThere, openAccess } from './open-access.ts'
import { openReadable } from './opened.ts'
import { absolutePath, expandHome, showName } from './paths.ts'
import { checkNoPrivateKey, checkReadable } from './protection.ts'
import { newSyntaxProblem } from './syntax.ts'
import type { FileDeps } from './tools.ts'

/** Larger texts are not edited in memory. */
const MAX_EDITED = 20_000_000
/** Beyond this a diff takes longer than it is worth. */
const MAX_COMPARED = 1_000_000

type Turn = Parameters<GuardedFiles['edit']>[1]

/** The service. */
export function fileGuard(deps: FileDeps): GuardedFiles {
  return {
    locate: (paths, turn) => locate(paths, turn, deps),
    readable: async (path, cwd, { sessionId } = {}) => (await openAccess({ sessionId, cwd }, deps)).readable(path),
    names: (path, cwd, options) => listNames(deps, path, cwd, options),
    read: (path, cwd, options) => readBeginning(deps, path, cwd, options),
    writable: async (path, cwd, { sessionId } = {}) => (await openAccess({ sessionId, cwd }, deps)).writable(path),
    edit: (paths, turn, plan) => edit(deps, paths, turn, plan),
  }
}

/** For `acts` and the like: without a look at any file. Throws `FILE_...` errors, and what opening an environment throws. */
export async function locate(
  paths: readonly string[],
  turn: { readonly sessionId: string; readonly cwd: string },
  deps: Pick<FileDeps, 'environment'>,
): ReturnType<GuardedFiles['locate']> {
  const there = await deps.environment(turn)
  // What no file can be called is refused when the tool runs, in its words.
  if (there === undefined) return { paths: paths.map((path) => resolve(turn.cwd, expandHome(path))) }
  const expand = (path: string) => path.replace(/^~(?=\/|$)/, () => there.home)
  return { paths: paths.map((path) => posix.resolve(there.folder, expand(path))), environment: there.name }
}

async function listNames(
  deps: FileDeps,
  path: string,
  cwd: string,
  { sessionId, limit }: Parameters<GuardedFiles['names']>[2],
): Promise<readonly string[]> {
  const there = await findThere({ sessionId, cwd }, deps)
  const { path: real } = await (await openAccess({ sessionId, cwd }, deps)).readable(path)
  try {
    if (there) {
      const { entries } = await there.files.list(real, { depth: 1, limit: 100_000 })
      return takeNames(
        entries.map(({ path: name, kind }) => [name, kind === 'folder']),
        limit,
      )
    }
    const entries = await readdir(real, { withFileTypes: true })
    return takeNames(
      entries.map((entry) => [entry.name, entry.isDirectory()]),
      limit,
    )
  } catch (error) {
    throw fileError(error, real)
  }
}

function takeNames(names: readonly (readonly [name: string, isFolder: boolean])[], limit: number): string[] {
  return names
    .map(([name, isFolder]) => (isFolder ? `${name}/` : name))
    .sort()
    .slice(0, limit)
}

async function readBeginning(
  deps: FileDeps,
  asked: string,
  cwd: string,
  options: Parameters<GuardedFiles['read']>[2],
): Promise<FileBytes> {
  const there = await findThere({ sessionId: options.sessionId, cwd }, deps)
  return there ? readBeginningThere(there, deps, asked, cwd, options) : readBeginningHere(deps, asked, cwd, options)
}

async function readBeginningThere(
  there: There,
  deps: FileDeps,
  asked: string,
  cwd: string,
  { maxBytes, signal, sessionId }: Parameters<GuardedFiles['read']>[2],
): Promise<FileBytes> {
  const access = await openAccess({ sessionId, cwd }, deps)
  const target = await access.readable(asked)
  try {
    const read = await there.files.read(target.path, { offset: 0, length: maxBytes, ...(signal && { signal }) })
    checkReadable(read.path, there.places)
    checkNoPrivateKey(read.path, Buffer.from(read.bytes.subarray(0, 8192)).toString('latin1'))
    return { ...target, bytes: read.bytes, size: read.size }
  } catch (error) {
    throw signal?.aborted ? error : fileError(error, target.path)
  }
}

async function readBeginningHere(
  deps: FileDeps,
  asked: string,
  cwd: string,
  { maxBytes, signal }: Parameters<GuardedFiles['read']>[2],
): Promise<FileBytes> {
  const judge = await createJudge(deps)
  const target = await findTarget(absolutePath(asked, cwd), cwd)
  await (await openAccess({ cwd }, deps)).readable(asked)
  const { file, stats, path } = await openReadable(target.path, judge)
  try {
    const parts: Buffer[] = []
    const options = { start: 0, end: Math.max(0, maxBytes - 1), autoClose: false, ...(signal && { signal }) }
    if (maxBytes > 0) for await (const part of file.createReadStream(options)) parts.push(part as Buffer)
    const bytes = Buffer.concat(parts)
    checkNoPrivateKey(path, bytes.subarray(0, 8192).toString('latin1'))
    return { ...target, bytes, size: Number(stats.size) }
  } catch (error) {
    throw signal?.aborted ? error : fileError(error, path)
  } finally {
    await file.close()
  }
}

/** The bytes as text, unless that would lose something. */
export function exactText(bytes: Buffer): string | undefined {
  const text = textEncoding(bytes) === 'utf-8' ? bytes.toString() : undefined
  return text !== undefined && Buffer.from(text).equals(bytes) ? text : undefined
}

/** A secret that was shown as `***` must not be written back as `***`. */
export function refuseMasked(path: string, before: string | undefined, after: string, deps: FileDeps): void {
  if (before === undefined || !after.includes('***') || deps.mask(before) === before) return
  const count = (text: string) => text.split('***').length
  if (count(after) <= count(before)) return
  const advice = 'change single lines that hold none instead'
  throw new SvcError('FILE_MASKED', `${showName(path)} holds secrets shown as ***, which would be lost; ${advice}.`)
}

/** What changed, secrets masked; undefined when it is too much to show. */
export async function describeChange(name: string, before: string, after: string, deps: FileDeps) {
  if (before.length + after.length > 2 * MAX_COMPARED) return undefined
  const change = await compare(name, before, after)
  return change && { ...change, diff: deps.mask(change.diff) }
}

/** A file that is being edited. */
interface Opened {
  readonly asked: string
  readonly file: FileSnapshot
  readonly before: ExistingFile | undefined
}

/** An edit under way. */
interface Editing {
  readonly access: FileAccess
  readonly turn: Turn
  readonly deps: FileDeps
}

async function edit(
  deps: FileDeps,
  paths: readonly string[],
  turn: Turn,
  plan: Parameters<GuardedFiles['edit']>[2],
): Promise<readonly FileChange[]> {
  const access = await openAccess(turn, deps)
  const editing = { access, turn, deps }
  const targets: ResolvedPath[] = []
  for (const path of paths) targets.push(await access.writable(path))
  refuseTwins(targets)
  const keys = targets.map(({ path }) => access.key(path))
  return deps.locks.hold(keys, async () => {
    const opened: Opened[] = []
    for (const [at, target] of targets.entries()) opened.push(await openForEdit(paths[at] ?? '', target, access))
    const planned = await plan(opened.map(({ file }) => file))
    turn.signal.throwIfAborted()
    const writes = opened.flatMap((each, at) => plannedWrites(each, planned[at], editing))
    if (writes.length > 0) await access.commit(writes, turn.signal)
    const changes: FileChange[] = []
    for (const [at, each] of opened.entries()) changes.push(await report(each, planned[at]?.text, editing))
    return changes
  })
}

function refuseTwins(targets: readonly ResolvedPath[]): void {
  const seen = new Set<string>()
  for (const { path } of targets) {
    if (seen.has(path)) throw new SvcError('FILE_TWICE', `${showName(path)} is named twice; name each file once.`)
    seen.add(path)
  }
}

async function openForEdit(asked: string, target: ResolvedPath, access: FileAccess): Promise<Opened> {
  const { path } = target
  try {
    access.checkReadable(path)
    const before = await access.examine(path)
    if (before === undefined) return { asked, before, file: { ...target, text: undefined, mode: undefined } }
    if (before.size > MAX_EDITED) {
      const sizes = `${showSize(before.size)}; at most ${showSize(MAX_EDITED)} are edited in one step`
      throw new SvcError('FILE_TOO_LARGE', `${showName(path)} has ${sizes}. Use a command such as sed.`)
    }
    const bytes = await access.readWhole(path)
    checkNoPrivateKey(path, bytes.subarray(0, 8192).toString('latin1'))
    const text = exactText(bytes)
    if (text === undefined) {
      const kind = `${binaryKind(bytes)} (${showSize(bytes.length)})`
      throw new SvcError('FILE_BINARY', `${showName(path)} is ${kind}, not text in UTF-8; it is not edited.`)
    }
    return { asked, before, file: { ...target, text, mode: before.mode } }
  } catch (error) {
    throw fileError(error, path)
  }
}

function plannedWrites(opened: Opened, planned: FileContent | undefined, editing: Editing): PlannedWrite[] {
  const { file, before, asked } = opened
  const text = planned?.text
  if (text === file.text) return []
  if (text !== undefined) refuseMasked(file.path, file.text, text, editing.deps)
  else if (isStale(opened, editing)) {
    const what = `${showName(asked)} was changed by another program after you last saw it`
    throw new SvcError('FILE_CHANGED', `${what}; read it again before you remove it. Nothing was changed.`)
  }
  return [{ path: file.path, before, text, mode: planned?.mode }]
}

function isStale({ file, before }: Opened, { access, turn, deps }: Editing): boolean {
  return before !== undefined && deps.ledger.isStale(turn.sessionId, access.key(file.path), before.stamp)
}

async function report(opened: Opened, text: string | undefined, editing: Editing): Promise<FileChange> {
  const { asked, file } = opened
  const { path } = file
  const { access, turn, deps } = editing
  const stale = isStale(opened, editing)
  deps.ledger.saw(turn.sessionId, access.key(path), text === undefined ? undefined : await access.stamp(path))
  const staleNote = `${showName(asked)} was changed by another program after you last saw it; their change is kept`
  const notes = [...(file.note === undefined ? [] : [file.note]), ...(stale ? [staleNote] : [])]
  if (text === file.text) return { path, change: 'unchanged', notes }
  const change = await describeChange(showName(asked), file.text ?? '', text ?? '', deps)
  const problem = text === undefined ? undefined : await newSyntaxProblem(path, file.text, text)
  if (problem !== undefined) notes.push(deps.mask(problem))
  return { path, change: classifyChange(file.text, text), ...change, notes }
}

function classifyChange(before: string | undefined, after: string | undefined): FileChange['change'] {
  if (before === undefined) return 'created'
  return after === undefined ? 'removed' : 'replaced'
}
