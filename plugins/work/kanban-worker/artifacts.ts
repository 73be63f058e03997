/** Files of the workspace that are kept with the task. */
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { SvcError } from 'svc/sdk'
import { type Boards, MAX_TASK_ATTACHMENT_BYTES } from 'svc/sdk/kanban'

/** Looks at all of them before the first is kept. Throws `KANBAN_ARTIFACT`; then none is. */
export async function keepArtifacts(
  boards: Boards,
  {
    taskId,
    by,
    cwd,
    paths,
  }: { readonly taskId: string; readonly by: string; readonly cwd: string; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const files = paths.map((path) => findFile(path, cwd))
  const kept = new Map((await boards.details(taskId)).attachments.map(({ name, sha256 }) => [name, sha256]))
  for (const path of files) {
    const name = basename(path)
    // A call that is repeated after a crash keeps no file twice.
    if (kept.get(name) === hash(path)) continue
    await boards.attach(taskId, { name, mediaType: 'application/octet-stream', bytes: readFileSync(path), by })
  }
  return files.map((path) => basename(path))
}

function findFile(path: string, cwd: string): string {
  const wanted = resolve(cwd, path)
  const stats = statSync(wanted, { throwIfNoEntry: false })
  if (!stats?.isFile()) throw refusal(`${path} is not a file of the workspace.`)
  const real = realpathSync(wanted)
  if (!real.startsWith(realpathSync(cwd) + sep)) throw refusal(`${path} is not in the workspace.`)
  if (stats.size > MAX_TASK_ATTACHMENT_BYTES)
    throw refusal(`${path} has ${stats.size} bytes; ${MAX_TASK_ATTACHMENT_BYTES} can be kept.`)
  return real
}

function refusal(message: string): SvcError {
  return new SvcError('KANBAN_ARTIFACT', `${message} The task was not completed.`)
}

function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
