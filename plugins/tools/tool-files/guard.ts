/** The service `GuardedFiles`: every rule about a path in one place, and changes of several files at once. */
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { SvcError } from 'svc/sdk'
import type { FileBytes, FileChange, FileContent, FileSnapshot, GuardedFiles, ResolvedPath } from 'svc/sdk/safety'
import { commit, type FileWrite, readStat } from './commit.ts'
import { compare } from './diff.ts'
import { fileError, missing } from './file-error.ts'
import { binaryKind, showSize, textEncoding } from './file-kind.ts'
import { findTarget } from './link-target.ts'
import { type Judge, movedAway, openReadable } from './opened.ts'
import { absolutePath, showName } from './paths.ts'
import { checkNoPrivateKey, checkReadable, checkWritable, findPlaces, type ProtectedFolders } from './protection.ts'
import { createStamp } from './read-history.ts'
import { newSyntaxProblem } from './syntax.ts'
import type { FileDeps } from './tools.ts'

/** Larger texts are not edited in memory. */
const MAX_EDITED = 20_000_000
/** Beyond this a diff takes longer than it is worth. */
const MAX_COMPARED = 1_000_000

type Turn = Parameters<GuardedFiles['edit']>[1]
type Before = FileWrite['before']

/** The folders that rules are about. */
export function findRulePlaces(deps: FileDeps): Promise<ProtectedFolders> {
  return findPlaces(deps.home(), deps.safeRoot(), deps.readable())
}

/** What files that are opened are judged by. */
export async function createJudge(deps: FileDeps): Promise<Judge> {
  return { places: await findRulePlaces(deps), secrets: deps.secrets }
}

/** The service. */
export function fileGuard(deps: FileDeps): GuardedFiles {
  return {
    async readable(path, cwd) {
      await readablePath(path, cwd, deps)
      const target = await findTarget(absolutePath(path, cwd), cwd)
      // The way to it may be another one by now.
      checkReadable(target.path, await findRulePlaces(deps))
      return target
    },
    read: (path, cwd, options) => readBeginning(deps, path, cwd, options),
    writable: async (path, cwd) => writablePath(path, cwd, await findRulePlaces(deps)),
    edit: (paths, turn, plan) => edit(deps, paths, turn, plan),
  }
}

async function readBeginning(
  deps: FileDeps,
  asked: string,
  cwd: string,
  { maxBytes, signal }: Parameters<GuardedFiles['read']>[2],
): Promise<FileBytes> {
  const judge = await createJudge(deps)
  const target = await findTarget(absolutePath(asked, cwd), cwd)
  await readablePath(asked, cwd, deps)
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

/** The real path of something that may be read. Throws with similar names when there is nothing. */
export async function readablePath(path: string, cwd: string, deps: FileDeps): Promise<string> {
  const asked = absolutePath(path, cwd)
  const real = await realpath(asked).catch((error: unknown) => missing(error, asked))
  checkReadable(real, await findRulePlaces(deps))
  return real
}

/** Where a write really goes, if it may. */
export async function writablePath(path: string, cwd: string, places: ProtectedFolders): Promise<ResolvedPath> {
  const asked = absolutePath(path, cwd)
  if (/[/\\]$/.test(path.trim()) && !path.endsWith('\\')) {
    throw new SvcError('FILE_IS_FOLDER', `${showName(path)} names a folder; name the file to write in it.`)
  }
  const target = await findTarget(asked, cwd)
  checkWritable(target.path, places)
  return target
}

/** An ordinary file that may be replaced; undefined when there is none. */
export async function replaceable(path: string): Promise<Before> {
  const stats = await readStat(path)
  if (stats === undefined) return undefined
  if (stats.isDirectory()) {
    throw new SvcError('FILE_IS_FOLDER', `${showName(path)} is a folder; name the file to write in it.`)
  }
  if (stats.isSymbolicLink()) throw movedAway(path)
  if (!stats.isFile()) {
    throw new SvcError('FILE_NOT_REGULAR', `${showName(path)} is a device, pipe or socket; it is not written.`)
  }
  // Replacing needs rights to the folder only; a file that may not be changed is to stay as it is all the same.
  await access(path, constants.W_OK)
  return stats
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
  readonly before: Before
}

async function edit(
  deps: FileDeps,
  paths: readonly string[],
  turn: Turn,
  plan: Parameters<GuardedFiles['edit']>[2],
): Promise<readonly FileChange[]> {
  const judge = await createJudge(deps)
  const targets: ResolvedPath[] = []
  for (const path of paths) targets.push(await writablePath(path, turn.cwd, judge.places))
  refuseTwins(targets)
  const real = targets.map(({ path }) => path)
  return deps.locks.hold(real, async () => {
    const opened: Opened[] = []
    for (const [at, target] of targets.entries()) opened.push(await openForEdit(paths[at] ?? '', target, judge))
    const planned = await plan(opened.map(({ file }) => file))
    turn.signal.throwIfAborted()
    const writes = opened.flatMap((each, at) => plannedWrites(each, planned[at], turn, deps))
    await commit(writes, deps.random())
    const changes: FileChange[] = []
    for (const [at, each] of opened.entries()) changes.push(await report(each, planned[at]?.text, turn, deps))
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

async function openForEdit(asked: string, target: ResolvedPath, judge: Judge): Promise<Opened> {
  const { path } = target
  try {
    checkReadable(path, judge.places)
    const before = await replaceable(path)
    if (before === undefined) return { asked, before, file: { ...target, text: undefined, mode: undefined } }
    if (before.size > MAX_EDITED) {
      const sizes = `${showSize(Number(before.size))}; at most ${showSize(MAX_EDITED)} are edited in one step`
      throw new SvcError('FILE_TOO_LARGE', `${showName(path)} has ${sizes}. Use a command such as sed.`)
    }
    const bytes = await readWhole(path, judge)
    checkNoPrivateKey(path, bytes.subarray(0, 8192).toString('latin1'))
    const text = exactText(bytes)
    if (text === undefined) {
      const kind = `${binaryKind(bytes)} (${showSize(bytes.length)})`
      throw new SvcError('FILE_BINARY', `${showName(path)} is ${kind}, not text in UTF-8; it is not edited.`)
    }
    return { asked, before, file: { ...target, text, mode: Number(before.mode) & 0o7777 } }
  } catch (error) {
    throw fileError(error, path)
  }
}

/** All of a file that may be read. */
export async function readWhole(path: string, judge: Judge): Promise<Buffer> {
  const { file } = await openReadable(path, judge)
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function plannedWrites(opened: Opened, planned: FileContent | undefined, turn: Turn, deps: FileDeps): FileWrite[] {
  const { file, before, asked } = opened
  const text = planned?.text
  if (text === file.text) return []
  if (text !== undefined) refuseMasked(file.path, file.text, text, deps)
  else if (isStale(opened, turn, deps)) {
    const what = `${showName(asked)} was changed by another program after you last saw it`
    throw new SvcError('FILE_CHANGED', `${what}; read it again before you remove it. Nothing was changed.`)
  }
  return [{ path: file.path, before, text, mode: planned?.mode }]
}

function isStale({ file, before }: Opened, turn: Turn, deps: FileDeps): boolean {
  return before !== undefined && deps.ledger.isStale(turn.sessionId, file.path, createStamp(before))
}

async function report(opened: Opened, text: string | undefined, turn: Turn, deps: FileDeps): Promise<FileChange> {
  const { asked, file } = opened
  const { path } = file
  const stale = isStale(opened, turn, deps)
  const now = text === undefined ? undefined : await readStat(path)
  deps.ledger.saw(turn.sessionId, path, now && createStamp(now))
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
