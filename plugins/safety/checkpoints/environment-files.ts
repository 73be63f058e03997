/** Projects in another execution environment: what is in them, their content for the store, and putting it back. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import type { EnvironmentFileChange, EnvironmentFiles, ExecutionEnvironment } from 'svc/sdk/shell'
import type { FileState } from './cache.ts'
import type { Git } from './git.ts'
import type { Content } from './import.ts'
import { hasName, isWithin, nameRule, shownPath, typedPath } from './path.ts'
import type { Project } from './project.ts'
import { type Difference, differences, type Restored, type RestoreRequest, readBlobs } from './restore.ts'
import { findIgnored, isRules, type LookRules, MAX_FILES, type ProjectScan, type Refusal } from './scan-files.ts'
import { usualMode } from './usual-mode.ts'

const MEGABYTE = 1_000_000
/** What is fetched at once. */
const BATCH_FILES = 200
const BATCH_BYTES = 8 * MEGABYTE
/** Files that are put back at once. */
const BATCH_CHANGES = 50

/** A project whose files are there. */
export interface ProjectThere extends Project {
  readonly there: { readonly files: EnvironmentFiles; readonly label: string }
}

/** The project of an environment: the folder that its commands begin in. Throws `CHECKPOINT_LEFT_OUT`. */
export function findProjectThere({ files, folder, home, label }: ExecutionEnvironment): ProjectThere {
  if (files === undefined) throw new SvcError('CHECKPOINT_LEFT_OUT', `svc does not reach the files of ${label}.`)
  if (folder === home || folder === '/' || home.startsWith(`${folder}/`))
    throw new SvcError('CHECKPOINT_LEFT_OUT', `${folder} of ${label} holds more than a project.`)
  const key = createHash('sha256').update(`${label}\0${folder}`).digest('hex').slice(0, 16)
  return { root: folder, key, isMarked: true, there: { files, label } }
}

/** As `scanProject`. */
export async function scanThere(
  git: Git,
  { root, there: { files } }: ProjectThere,
  rules: LookRules,
): Promise<ProjectScan | Refusal> {
  const rule = nameRule(rules.exclude)
  const closed = ['.git', ...rules.exclude]
  const listed = await files.list(root, { closed, limit: 2 * MAX_FILES, targets: true })
  // A name that is not UTF-8 cannot be asked for.
  const entries = listed.entries.filter(({ path }) => !hasName(typedPath(path), rule) && !path.includes('\uFFFD'))
  const plain = entries.filter(({ kind }) => kind === 'file' || kind === 'link')
  if (plain.length > MAX_FILES || listed.cut) return { refused: 'many' }
  const paths = plain.map(({ path }) => typedPath(path))
  const ignored = await findIgnoredThere(git, root, files, paths)
  const found = new Map<string, FileState>()
  const links = new Map<string, string>()
  const left: string[] = []
  let total = 0
  for (const { path: shown, kind, size, mode, version, target } of plain) {
    const path = typedPath(shown)
    if (ignored.has(path)) continue
    if (size > rules.maxFileMb * MEGABYTE) {
      left.push(path)
      continue
    }
    const isLink = kind === 'link'
    if (isLink) links.set(path, target ?? '')
    // Times in whole seconds do not tell two changes apart.
    const mark = /\.0+( [+-]\d+)?$/.test(version) || !version.includes('.') ? '' : version
    found.set(path, { size, mode: mode & 0o777, link: isLink, changedAt: 0, mark })
    total += size
  }
  if (total > rules.maxTotalMb * MEGABYTE) return { refused: 'large' }
  return { files: found, empty: [], left, copies: [], links }
}

/** The rules are copied to a folder of this machine, where git reads them. */
async function findIgnoredThere(
  git: Git,
  root: string,
  files: EnvironmentFiles,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const rules = paths.filter(isRules)
  if (rules.length === 0) return new Set()
  const contents = await files.readAll(root, rules.map(shownPath))
  const copy = mkdtempSync(join(tmpdir(), 'svc-rules-'))
  try {
    for (const [at, path] of rules.entries()) {
      const target = join(copy, shownPath(path))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, contents[at] ?? '')
    }
    return await findIgnored(git, copy, paths, paths)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Fetches the content of files in the order in which they are asked for, many at a time. */
export function createReader(
  { root, there: { files } }: ProjectThere,
  { files: states, links }: ProjectScan,
  changed: readonly string[],
): (path: string) => Promise<Content | 'gone' | 'unreadable'> {
  const held = new Map<string, Uint8Array | undefined>()
  const fetchBatch = async (first: string) => {
    held.clear()
    const batch: string[] = []
    let bytes = 0
    for (let at = changed.indexOf(first); at < changed.length && batch.length < BATCH_FILES; at++) {
      const path = changed[at] as string
      if (links?.has(path)) continue
      bytes += states.get(path)?.size ?? 0
      if (batch.length > 0 && bytes > BATCH_BYTES) break
      batch.push(path)
    }
    const contents = await files.readAll(root, batch.map(shownPath))
    for (const [at, path] of batch.entries()) held.set(path, contents[at])
  }
  return async (path) => {
    const link = links?.get(path)
    if (link !== undefined) return { bytes: Buffer.from(link), sure: true }
    if (!held.has(path)) await fetchBatch(path)
    const bytes = held.get(path)
    if (bytes === undefined) return 'unreadable'
    return { bytes: Buffer.from(bytes), sure: bytes.length === states.get(path)?.size }
  }
}

/** As `restoreFiles`, in batches: one that fails is repeated file by file, so that the rest is restored. Folders stay. */
export async function restoreThere(git: Git, project: ProjectThere, wanted: RestoreRequest): Promise<Restored> {
  const { root, there } = project
  const all = await differences(git, wanted)
  const { record } = wanted.target
  const rule = nameRule(record.exclude)
  const isUnknown = (path: string) => hasName(path, rule) || record.left.some((one) => isWithin(path, one))
  const left = new Map<string, string>()
  const changes: PlannedChange[] = []
  for (const { path, status } of all) {
    if (status !== 'remove') continue
    if (isUnknown(path)) left.set(path, 'the snapshot does not tell how it was')
    else changes.push({ path, change: { path: posix.join(root, shownPath(path)) } })
  }
  const puts = all.filter(({ status }) => status === 'put')
  await readBlobs(git, puts, (difference, bytes) => {
    if (bytes) changes.push({ path: difference.path, change: toChange(root, difference, bytes, record) })
    else left.set(difference.path, 'the snapshot has lost it')
  })
  const done = await writeInBatches(there.files, changes, left)
  const names = (status: Difference['status']) =>
    all.filter((each) => each.status === status && done.has(each.path)).map(({ path }) => shownPath(path))
  return {
    restored: names('put'),
    removed: names('remove'),
    leftAlone: [...left].map(([path, why]) => ({ path: shownPath(path), why })),
  }
}

/** A change, and the path as git has it. */
interface PlannedChange {
  readonly path: string
  readonly change: EnvironmentFileChange
}

/** Gives the paths that were changed; the others are added to `left` with the reason. */
async function writeInBatches(
  files: EnvironmentFiles,
  changes: readonly PlannedChange[],
  left: Map<string, string>,
): Promise<ReadonlySet<string>> {
  const done = new Set<string>()
  for (let at = 0; at < changes.length; at += BATCH_CHANGES) {
    const batch = changes.slice(at, at + BATCH_CHANGES)
    const isWhole = await files.write(batch.map(({ change }) => change)).then(
      () => true,
      () => false,
    )
    for (const { path, change } of batch) {
      const why = isWhole ? undefined : await files.write([change]).then(() => undefined, errorMessage)
      if (why === undefined) done.add(path)
      else left.set(path, why)
    }
  }
  return done
}

function toChange(
  root: string,
  { path, mode }: Difference,
  bytes: Buffer,
  { modes, umask }: RestoreRequest['target']['record'],
): EnvironmentFileChange {
  const target = posix.join(root, shownPath(path))
  if (mode === '120000') return { path: target, link: bytes.toString() }
  const usual = usualMode(Number.parseInt(mode, 8), umask)
  return { path: target, bytes, mode: Object.hasOwn(modes, path) ? (modes[path] ?? usual) : usual }
}
