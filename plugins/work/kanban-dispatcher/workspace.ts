/** The folder that a worker works in: one of its own, one that is there, or a git worktree. */
import { existsSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { Board, Task } from 'svc/sdk/kanban'
import type { ProgramEnd } from './run-program.ts'

export interface WorkspaceDeps {
  /** Where scratch folders are made. */
  readonly folder: string
  git(args: readonly string[], cwd: string): Promise<ProgramEnd>
}

/** Makes it where it is not there yet, and returns its real path. Throws `KANBAN_WORKSPACE`; nothing that was there is changed. */
export async function openWorkspace(
  task: Pick<Task, 'id' | 'workspace'>,
  board: Pick<Board, 'slug' | 'defaultWorkdir'>,
  deps: WorkspaceDeps,
): Promise<string> {
  const { kind, path = board.defaultWorkdir, branch } = task.workspace
  if (kind === 'scratch') return makeScratch(task.id, board.slug, deps.folder)
  if (path === undefined)
    throw refusal(`Task ${task.id} has a workspace of the kind ${kind} without a path, and its board has no default.`)
  if (!isAbsolute(path))
    throw refusal(`The workspace ${JSON.stringify(path)} of task ${task.id} is not an absolute path.`)
  return kind === 'dir'
    ? requireFolder(path)
    : await openWorktree(task.id, { path, branch: branch ?? `wt/${task.id}` }, deps)
}

/** Where the scratch folder of a task is. */
export function scratchFolder(taskId: string, board: string, folder: string): string {
  return join(folder, board, taskId)
}

/** Removes a scratch folder with all that is in it. */
export function removeScratch(taskId: string, board: string, folder: string): void {
  rmSync(scratchFolder(taskId, board, folder), { recursive: true, force: true })
}

function makeScratch(taskId: string, board: string, folder: string): string {
  const path = scratchFolder(taskId, board, folder)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return realpathSync(path)
  } catch (cause) {
    throw refusal(`The folder ${path} cannot be made: ${(cause as Error).message}`, cause)
  }
}

function requireFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw refusal(`The workspace ${path} is not a folder. Make it, or change the workspace of the task.`)
  return realpathSync(path)
}

/** `path` is a repository, or where the worktree is to be within one. A worktree that is there is used as it is. */
async function openWorktree(
  taskId: string,
  { path, branch }: { readonly path: string; readonly branch: string },
  deps: WorkspaceDeps,
): Promise<string> {
  const repository = existsSync(path) ? requireFolder(path) : undefined
  if (repository !== undefined && existsSync(join(repository, '.git')) && statSync(join(repository, '.git')).isFile())
    return repository
  const tree = repository === undefined ? path : join(repository, '.worktrees', taskId)
  if (existsSync(join(tree, '.git'))) return realpathSync(tree)
  const from = repository ?? (await findRepository(path))
  // What a crash left of one: git refuses to make it again while it believes in it.
  await deps.git(['worktree', 'prune'], from)
  const isThere = (await deps.git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], from)).code === 0
  const words = isThere ? ['worktree', 'add', tree, branch] : ['worktree', 'add', '-b', branch, tree]
  const made = await deps.git(words, from)
  if (made.code !== 0) throw refusal(`git made no worktree for task ${taskId} in ${from}: ${lastLine(made)}`)
  return realpathSync(tree)
}

/** The nearest folder above that is there. */
async function findRepository(path: string): Promise<string> {
  let at = path
  while (!existsSync(at)) at = join(at, '..')
  return at
}

function lastLine({ tail, detail }: ProgramEnd): string {
  return tail.trim().split('\n').at(-1) || detail || 'no reason given'
}

function refusal(message: string, cause?: unknown): SvcError {
  return new SvcError('KANBAN_WORKSPACE', message, cause === undefined ? {} : { cause })
}
