/** The snapshots of all projects: the service `checkpoints`, and the parts that the hook, the commands and the shell use. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { type Clock, type Random, SvcError } from 'svc/sdk'
import type { Checkpoint, CheckpointSummary, Checkpoints, RestoreResult } from 'svc/sdk/sessions'
import { readProjectState, removeProjectState, writeProjectState } from './cache.ts'
import type { Config } from './config.ts'
import { restoreThere } from './environment-files.ts'
import { Git } from './git.ts'
import { Locks } from './lock.ts'
import { isThere, isWithin, toPathBytes, typedPath } from './path.ts'
import { findProject, isTooWide, type Project, realPath } from './project.ts'
import type { Snapshot } from './record.ts'
import { type Restored, restoreFiles } from './restore.ts'
import { allSnapshots, getProjectKey, measureFolder, type Pruned, prune, summarizeFolders, trim } from './retention.ts'
import { type LookRules, type Refusal, refusalText } from './scan-files.ts'
import {
  isRefused,
  isThereProject,
  listSnapshots,
  type Occasion,
  type ProjectPaths,
  type State,
  see,
  type TakeDeps,
} from './take.ts'

export interface CheckpointDeps {
  readonly config: Config
  /** Its folder under SVC_HOME. */
  readonly dir: string
  readonly svcHome: string
  readonly clock: () => Clock
  readonly random: () => Random
  readonly searchPath: () => string
  readonly signal: AbortSignal
}

/** The folder that a session works in, or a project that was found already. */
export type Where = string | Project

/** What became of taking one. */
export interface Taken {
  readonly id?: string
  /** Why not: nothing changed, or the folder is left out, in words for people. */
  readonly why?: { readonly kind: 'unchanged' | 'left-out'; readonly text: string }
}

const DIFF = ['diff-tree', '-p', '-r', '-M', '--no-color', '--no-ext-diff']
const SAME: Checkpoint['changed'] = { files: 0, insertions: 0, deletions: 0 }
const DAY_MS = 86_400_000
/** Two trees that are compared. */
const heading = /^([0-9a-f]{40,64}) [0-9a-f]{40,64}\n/
const NOTHING_CHANGED = 'Nothing has changed since the last snapshot.'

/** Contract: `Checkpoints` of the SDK. */
export class CheckpointStore implements Checkpoints {
  readonly #deps: CheckpointDeps
  readonly #git: Git
  readonly #locks: Locks
  readonly #rules: LookRules

  constructor(deps: CheckpointDeps) {
    const { config, dir, clock, random, searchPath: path, signal, svcHome } = deps
    this.#deps = deps
    this.#git = new Git({ clock, path, signal }, join(dir, 'store'))
    this.#locks = new Locks(clock, random)
    this.#rules = {
      exclude: config.exclude,
      maxFileMb: config.max_file_mb,
      maxTotalMb: config.max_total_mb,
      skip: [realPath(svcHome)],
    }
  }

  /** What snapshots are of when a session works in `cwd`. */
  project(cwd: Where): Project {
    if (typeof cwd !== 'string') return cwd
    return findProject(cwd, ({ key }) => isThere(this.#getCacheFile(key)))
  }

  async list(cwd: Where, options: { readonly limit?: number } = {}): Promise<readonly Checkpoint[]> {
    const project = this.project(cwd)
    if (!this.#git.exists()) return []
    await this.#git.ready()
    return this.#locked(project, async (place) => {
      const snapshots = (await listSnapshots(this.#git, place.key)).slice(0, options.limit)
      if (snapshots.length === 0) return []
      const state = await see(this.#takeHost(), place)
      // With too many files by now: how it was when they were last seen.
      const tree = isRefused(state) ? (readProjectState(place.cache)?.tree ?? snapshots[0]?.tree ?? '') : state.tree
      const trees = snapshots.map((snapshot) => snapshot.tree)
      const changes = await this.#changes(trees, tree)
      return snapshots.map((snapshot, at) => toCheckpoint(snapshot, at + 1, changes[at] as Checkpoint['changed']))
    })
  }

  /** Throws `CHECKPOINT_GIT` if git is not available. */
  available(): Promise<void> {
    return this.#git.available()
  }

  async take(cwd: Where, reason: string): Promise<{ readonly id?: string; readonly why?: string }> {
    const { id, why } = await this.keep(cwd, { reason, kind: 'change' })
    return { ...(id !== undefined && { id }), ...(why && { why: why.text }) }
  }

  /** Takes one and says what there is to say of it. Throws `CHECKPOINT_GIT` and `CHECKPOINT_BUSY`. */
  async keep(cwd: Where, occasion: Occasion): Promise<Taken> {
    const project = this.project(cwd)
    if (!project.there && isTooWide(project.root)) return leftOut(`${project.root} holds more than a project.`)
    const home = realPath(this.#deps.svcHome)
    // A folder of svc that belongs to the user: the default working folder of the gateway.
    const isOwn = isWithin(project.root, `${home}/workspace`)
    if (!project.there && isWithin(project.root, home) && !isOwn)
      return leftOut(`${project.root} belongs to svc itself.`)
    await this.#git.ready()
    return this.#locked(project, async (place) => {
      const state = await see(this.#takeHost(), place, occasion)
      if (isRefused(state)) return leftOut(refusalText(state, place.root, this.#rules))
      if (state.made === undefined) return { why: { kind: 'unchanged', text: NOTHING_CHANGED } }
      await this.#trim(place)
      return { id: state.made }
    })
  }

  async diff(cwd: Where, which: string): Promise<string> {
    await this.#git.ready()
    return this.#locked(this.project(cwd), async (place) => {
      const target = await this.#find(place, which)
      const { tree } = this.#allowed(await see(this.#takeHost(), place), place)
      const output = await this.#git.run([...DIFF, target.tree, tree])
      return Buffer.from(output, 'latin1').toString()
    })
  }

  async restore(cwd: Where, which: string, file?: string): Promise<RestoreResult & Restored> {
    await this.#git.ready()
    return this.#locked(this.project(cwd), async (place) => {
      const target = await this.#find(place, which)
      const only = file === undefined ? undefined : resolveInProject(place, cwd, file)
      if (only !== undefined && !(await this.#isKnown(place, only, target.tree)))
        throw new SvcError('CHECKPOINT_PATH', `Neither the snapshot nor ${place.root} has ${file}.`)
      const reason = `before going back to ${target.id.slice(0, 8)}`
      const state = this.#allowed(await see(this.#takeHost(), place, { reason, kind: 'rollback', always: true }), place)
      const id = state.made as string
      for (const path of state.sight.copies) rmSync(toPathBytes(place.root, path), { force: true })
      const wanted = {
        root: place.root,
        before: { id, record: state.record, files: state.sight.files },
        target: { id: target.id, record: target },
        only,
      }
      const restored = isThereProject(place)
        ? await restoreThere(this.#git, place, wanted)
        : await restoreFiles(this.#git, this.#deps.random(), wanted)
      await this.#trim(place, [target.id, id])
      return { ...restored, before: id }
    })
  }

  /** The snapshot for a number, the start of an id, or `undo`. Throws `CHECKPOINT_UNKNOWN`. */
  async find(cwd: Where, which: string): Promise<Snapshot> {
    await this.#git.ready()
    const project = this.project(cwd)
    return this.#find(project, which)
  }

  /** The snapshots of a folder, newest first, without a look at its files. */
  async brief(cwd: Where): Promise<readonly Snapshot[]> {
    if (!this.#git.exists()) return []
    await this.#git.ready()
    return listSnapshots(this.#git, this.project(cwd).key)
  }

  /** Other folders that a session has snapshots of. */
  async others(cwd: Where, sessionId: string): Promise<readonly string[]> {
    if (!this.#git.exists()) return []
    const { root: path, there } = this.project(cwd)
    const root = there ? `${there.label}:${path}` : path
    const mine = (await allSnapshots(this.#git)).filter((snapshot) => snapshot.sessionId === sessionId)
    return [...new Set(mine.map((snapshot) => snapshot.root))].filter((other) => other !== root)
  }

  /** Removes what is kept too long or is too much. */
  async prune(): Promise<Pruned> {
    if (!this.#git.exists()) return { removed: 0, kept: 0, bytesBefore: 0, bytes: 0 }
    await this.#git.ready()
    return this.#locks.hold(join(this.#deps.dir, 'locks', 'prune'), async () => {
      const { max_snapshots, max_total_mb, retention_days } = this.#deps.config
      const retention = { maxSnapshots: max_snapshots, maxTotalMb: max_total_mb, days: retention_days }
      const now = this.#deps.clock().now()
      writeFileSync(join(this.#deps.dir, 'pruned'), String(now), { mode: 0o600 })
      const dir = join(this.#deps.dir, 'store')
      return prune(this.#git, { dir, retention, now }, (key) => this.#forget(key))
    })
  }

  /** The same, when it was not done for a day. */
  async pruneDaily(): Promise<void> {
    const last = Number(readTextFile(join(this.#deps.dir, 'pruned')) ?? 0)
    if (Math.abs(this.#deps.clock().now() - last) >= DAY_MS) await this.prune()
  }

  /** What there is in all. */
  async total(): Promise<{ readonly snapshots: number; readonly projects: number; readonly bytes: number }> {
    if (!this.#git.exists()) return { snapshots: 0, projects: 0, bytes: 0 }
    await this.#git.ready()
    const all = await allSnapshots(this.#git)
    const bytes = await measureFolder(join(this.#deps.dir, 'store'))
    return { snapshots: all.length, projects: new Set(all.map(getProjectKey)).size, bytes }
  }

  async summarize(): Promise<CheckpointSummary> {
    if (!this.#git.exists()) return { bytes: 0, folders: [] }
    await this.#git.ready()
    return {
      bytes: await measureFolder(join(this.#deps.dir, 'store')),
      folders: summarizeFolders(await allSnapshots(this.#git)),
    }
  }

  /** Removes everything of every project. */
  async clear(): Promise<void> {
    const { dir, random } = this.#deps
    const aside = join(dir, `cleared-${random().hex(6)}`)
    mkdirSync(aside, { recursive: true, mode: 0o700 })
    await this.#locks.hold(join(dir, 'locks', 'prune'), async () => {
      // Moved first: others see all of it or nothing.
      for (const name of ['projects', 'store', 'pruned'])
        if (isThere(join(dir, name))) renameSync(join(dir, name), join(aside, name))
    })
    rmSync(aside, { recursive: true, force: true })
  }

  #getCacheFile(key: string): string {
    return join(this.#deps.dir, 'projects', `${key}.json`)
  }

  #getLockFile(key: string): string {
    return join(this.#deps.dir, 'locks', key)
  }

  #takeHost(): TakeDeps {
    return { git: this.#git, rules: this.#rules, clock: this.#deps.clock }
  }

  async #locked<T>(project: Project, work: (place: ProjectPaths) => Promise<T>): Promise<T> {
    const lock = this.#getLockFile(project.key)
    const now = () => statSync(lock).ctimeMs
    return this.#locks.hold(lock, () => work({ ...project, cache: this.#getCacheFile(project.key), now }))
  }

  #allowed(state: State | Refusal, { root }: Project): State {
    if (isRefused(state)) throw new SvcError('CHECKPOINT_LEFT_OUT', refusalText(state, root, this.#rules))
    return state
  }

  async #find({ key, root }: Project, which: string): Promise<Snapshot> {
    const all = await listSnapshots(this.#git, key)
    const found = /^\d{1,4}$/.test(which)
      ? all[Number(which) - 1]
      : all.find(({ id, kind }) => (which === 'undo' ? kind === 'rollback' : matchesId(which, id)))
    if (found) return found
    if (which === 'undo')
      throw new SvcError('CHECKPOINT_UNKNOWN', `Nothing was restored in ${root}, so there is nothing to undo.`)
    const there =
      all.length === 0 ? 'There are none' : all.length === 1 ? 'There is only 1' : `There are 1 to ${all.length}`
    throw new SvcError('CHECKPOINT_UNKNOWN', `There is no snapshot ${which} of ${root}. ${there}.`)
  }

  /** Whether the snapshot or the project has a file or folder. */
  async #isKnown({ root, cache, there }: ProjectPaths, path: string, tree: string): Promise<boolean> {
    if (path === '' || (!there && isThere(toPathBytes(root, path)))) return true
    if (there && [...(readProjectState(cache)?.files.keys() ?? [])].some((one) => isWithin(one, path))) return true
    const typed = Buffer.from(path, 'latin1').toString()
    return (await this.#git.run(['--literal-pathspecs', 'ls-tree', '-z', tree, '--', typed])) !== ''
  }

  /** How the present differs from each of the trees. Source of the format: git-diff-tree(1), `--stdin` and `--numstat`. */
  async #changes(trees: readonly string[], now: string): Promise<Checkpoint['changed'][]> {
    const distinct = [...new Set(trees)]
    const output = await this.#git.run(['diff-tree', '--stdin', '-r', '-z', '--numstat', '--no-renames'], {
      input: distinct.map((tree) => `${tree} ${now}\n`).join(''),
    })
    const changes = new Map<string, Checkpoint['changed']>()
    let tree = ''
    for (const part of output.split('\0')) {
      let rest = part
      // Trees that are the same have nothing but their heading.
      for (let head = heading.exec(rest); head; head = heading.exec(rest)) {
        tree = head[1] as string
        rest = rest.slice(head[0].length)
      }
      const [, added, removed] = /^(\d+|-)\t(\d+|-)\t/.exec(rest) ?? []
      if (added === undefined) continue
      const sum = changes.get(tree) ?? SAME
      changes.set(tree, {
        files: sum.files + 1,
        insertions: sum.insertions + (Number(added) || 0),
        deletions: sum.deletions + (Number(removed) || 0),
      })
    }
    return trees.map((each) => changes.get(each) ?? SAME)
  }

  /** Those in use just now stay. */
  async #trim(place: ProjectPaths, inUse: readonly string[] = []): Promise<void> {
    const most = this.#deps.config.max_snapshots
    const seen = readProjectState(place.cache)
    if (!seen || seen.count <= most) return
    const others = (await listSnapshots(this.#git, place.key)).filter(({ id }) => !inUse.includes(id))
    await trim(this.#git, others, Math.max(0, most - inUse.length))
    writeProjectState(place.cache, { ...seen, count: most })
  }

  async #forget(key: string): Promise<void> {
    await this.#locks.hold(this.#getLockFile(key), async () => removeProjectState(this.#getCacheFile(key)))
  }
}

function leftOut(text: string): Taken {
  return { why: { kind: 'left-out', text } }
}

function toCheckpoint(snapshot: Snapshot, number: number, changed: Checkpoint['changed']): Checkpoint {
  const { id, at, reason, sessionId, turnId } = snapshot
  return {
    ...{ number, id, at, reason, changed },
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
  }
}

const matchesId = (which: string, id: string) => /^[0-9a-f]{4,64}$/.test(which) && id.startsWith(which)

/** Relative to the project. Throws `CHECKPOINT_PATH` for what is not in it. */
function resolveInProject({ root, there }: Project, cwd: Where, file: string): string {
  if (there || typeof cwd !== 'string') {
    const typedThere = posix.resolve(root, file)
    if (!isWithin(typedThere, root)) throw new SvcError('CHECKPOINT_PATH', `${file} is not in ${root}.`)
    return typedPath(posix.relative(root, typedThere))
  }
  const typed = resolve(realPath(cwd), file)
  // Links above the project may have been typed; those in it are not followed.
  const found = [typed, join(realPath(dirname(typed)), basename(typed))].find((path) => isWithin(path, root))
  if (found === undefined) throw new SvcError('CHECKPOINT_PATH', `${file} is not in ${root}.`)
  return typedPath(relative(root, found))
}

function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It was never written.
    return undefined
  }
}
