/** Brings the store up to date with a project, and makes snapshots of it. The project's lock is held. */
import { createHash } from 'node:crypto'
import type { Clock } from 'svc/sdk'
import { type FileState, type ProjectState, readProjectState, removeProjectState, writeProjectState } from './cache.ts'
import { createReader, type ProjectThere, scanThere } from './environment-files.ts'
import type { Git } from './git.ts'
import { type Imported, importFiles } from './import.ts'
import type { Project } from './project.ts'
import { REF_FORMAT, readRef, type Snapshot, type SnapshotRecord, writeRecord } from './record.ts'
import { isSame, type LookRules, type ProjectScan, type Refusal, scanProject } from './scan-files.ts'
import { usualMode } from './usual-mode.ts'

/** Where one project's things are. */
export interface ProjectPaths extends Project {
  /** What was last seen of it. */
  readonly cache: string
  /** The present, for the file system that the store is on, in milliseconds. */
  readonly now: () => number
}

/** Why a snapshot is made. */
export interface Occasion {
  readonly reason: string
  readonly kind: SnapshotRecord['kind']
  readonly sessionId?: string
  readonly turnId?: string
}

/** What a project is like now. */
export interface State {
  /** The tree of the store that holds it. */
  readonly tree: string
  readonly record: SnapshotRecord
  readonly sight: ProjectScan
  /** The snapshot, when one was made. */
  readonly made?: string
}

export interface TakeDeps {
  readonly git: Git
  readonly rules: LookRules
  readonly clock: () => Clock
}

export const isRefused = (state: State | Refusal): state is Refusal => 'refused' in state

/** All snapshots of a project, the newest first. */
export async function listSnapshots(git: Git, key: string): Promise<Snapshot[]> {
  const output = await git.run(['for-each-ref', '--sort=-refname', `--format=${REF_FORMAT}`, `refs/snapshots/${key}/`])
  return output.split('\n').flatMap((line) => readRef(line) ?? [])
}

/**
 * Looks, and with an `occasion` makes a snapshot: when anything differs from the newest one, or in any case (`always`).
 * `unchanged` costs no more than looking.
 */
export async function see(
  deps: TakeDeps,
  place: ProjectPaths,
  occasion?: Occasion & { readonly always?: true },
): Promise<State | Refusal> {
  const sight = isThereProject(place)
    ? await scanThere(deps.git, place, deps.rules)
    : await scanProject(deps.git, place.root, deps.rules, place.now())
  if ('refused' in sight) return sight
  const seen = readProjectState(place.cache)
  try {
    return await store(deps, place, sight, seen, occasion)
  } catch (error) {
    if (!seen || (await hasTree(deps.git, seen.tree))) throw error
    // The cached tree is missing in the store: everything is read again.
    removeProjectState(place.cache)
    return await store(deps, place, sight, undefined, occasion)
  }
}

/** Whether its files are in another environment. */
export function isThereProject<P extends Project>(project: P): project is P & ProjectThere {
  return project.there !== undefined
}

async function hasTree(git: Git, tree: string): Promise<boolean> {
  return (await git.run(['cat-file', '-t', tree], { codes: [0, 128] })).trim() === 'tree'
}

async function store(
  deps: TakeDeps,
  place: ProjectPaths,
  sight: ProjectScan,
  seen: ProjectState | undefined,
  occasion: (Occasion & { readonly always?: true }) | undefined,
): Promise<State> {
  const changed = [...sight.files].filter(([path, look]) => !isSame(seen?.files.get(path), look)).map(([path]) => path)
  const gone = seen ? [...seen.files.keys()].filter((path) => !sight.files.has(path)) : []
  const record = createRecord(deps, place, sight, occasion)
  const rest = digestRecord(record)
  const isLast = (tree: string) => seen?.last?.tree === tree && seen.last.rest === rest
  const isKept = !occasion || (isLast(seen?.tree ?? '') && !occasion.always)
  if (seen && changed.length === 0 && gone.length === 0 && isKept) return { tree: seen.tree, record, sight }

  const { count, sequence } = seen ?? (await countSnapshots(deps.git, place.key))
  const next = Math.max(deps.clock().now(), sequence + 1)
  let ref: string | undefined
  const made = await importFiles(deps.git, {
    root: place.root,
    ...(isThereProject(place) && { read: createReader(place, sight, changed) }),
    ref: `refs/now/${place.key}`,
    ...{ base: seen?.tree, gone, changed, files: sight.files, at: Math.floor(record.at / 1000) },
    message: (unreadable) => writeRecord({ ...record, left: [...record.left, ...unreadable] }),
    keep: (tree) => {
      if (occasion && (occasion.always || !isLast(tree)))
        ref = `refs/snapshots/${place.key}/${String(next).padStart(15, '0')}`
      return ref
    },
  })
  const last = ref ? { id: made.id, tree: made.tree, rest } : seen?.last
  writeProjectState(place.cache, {
    root: place.root,
    tree: made.tree,
    files: mergeFiles(sight.files, made),
    ...(last && { last }),
    ...(ref ? { count: count + 1, sequence: next } : { count, sequence }),
  })
  const left = [...record.left, ...made.unreadable]
  return { tree: made.tree, record: { ...record, left }, sight, ...(ref && { made: made.id }) }
}

function createRecord(
  deps: TakeDeps,
  place: ProjectPaths,
  sight: ProjectScan,
  occasion: Occasion | undefined,
): SnapshotRecord {
  const umask = process.umask()
  const { reason = '', kind = 'change', sessionId, turnId } = occasion ?? {}
  return {
    version: 1,
    ...{ reason, kind, at: deps.clock().now(), umask },
    root: place.there ? `${place.there.label}:${place.root}` : place.root,
    ...(place.there && { isElsewhere: true as const }),
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    modes: Object.fromEntries(
      [...sight.files]
        .filter(([, { link, mode }]) => !link && mode !== usualMode(mode, umask))
        .map(([path, { mode }]) => [path, mode]),
    ),
    ...{ empty: sight.empty, left: sight.left, exclude: deps.rules.exclude },
  }
}

function digestRecord({ umask, modes, empty, left }: SnapshotRecord): string {
  return createHash('sha256')
    .update(JSON.stringify([umask, modes, empty, left]))
    .digest('hex')
}

/** Files that may have changed since they were stored are read again next time. */
function mergeFiles(files: ReadonlyMap<string, FileState>, { unreadable, unsure }: Imported): Map<string, FileState> {
  const known = new Map(files)
  for (const path of [...unreadable, ...unsure]) {
    const look = known.get(path)
    if (look) known.set(path, { ...look, mark: '' })
  }
  return known
}

async function countSnapshots(git: Git, key: string): Promise<Pick<ProjectState, 'count' | 'sequence'>> {
  const refs = await listSnapshots(git, key)
  return { count: refs.length, sequence: Number(refs[0]?.ref.split('/').at(-1) ?? 0) }
}
