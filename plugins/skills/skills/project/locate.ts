/** Where a project keeps skills: `.svc/skills` and `.agents/skills` of the working folder and of those above it in the project. */
import { access, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A folder of skills of a project. Both paths are real ones, without links. */
export interface ProjectRoot {
  /** The top of the project: the nearest folder with `.git`, else the working folder. */
  readonly project: string
  readonly path: string
}

const FOLDERS = [join('.svc', 'skills'), join('.agents', 'skills')]

/** The nearest first. `own` are folders of skills that are not of a project, wherever they lie. */
export async function findProjectRoots(cwd: string, own: readonly string[]): Promise<readonly ProjectRoot[]> {
  const start = await realpath(cwd).catch(() => undefined)
  if (start === undefined) return []
  const others = await Promise.all(own.map((path) => realpath(path).catch(() => path)))
  const folders = await listFolders(start)
  const project = folders.at(-1) ?? start
  const found = await Promise.all(
    folders.flatMap((folder) =>
      FOLDERS.map(async (name) => {
        const path = await realpath(join(folder, name)).catch(() => undefined)
        return path !== undefined && !others.includes(path) ? [{ project, path }] : []
      }),
    ),
  )
  return found.flat()
}

/** The folder and those above it up to the top of the project. */
async function listFolders(start: string): Promise<readonly string[]> {
  const passed: string[] = []
  for (let folder = start; ; folder = dirname(folder)) {
    passed.push(folder)
    if (await exists(join(folder, '.git'))) return passed
    if (dirname(folder) === folder) return [start]
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
