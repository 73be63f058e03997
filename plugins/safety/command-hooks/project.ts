/** The file of hooks of a project, and the content that a person agrees to: the file, and the files of the project that it runs. */
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { z } from 'zod'
import { projectFile } from './config.ts'
import { type Hook, parseHooks } from './hook.ts'

/** Below the top of the project. */
export const HOOKS_FILE = join('.svc', 'hooks.yaml')
const SCRIPTS = join('.svc', 'hooks')
const MAX_FILE_BYTES = 1_048_576
const MAX_FILES = 200

/** What a project asks for. */
export interface ProjectHooks {
  /** The folder that holds `.svc`, without links. */
  readonly project: string
  readonly hooks: readonly Hook[]
  /** SHA-256 of all that is covered. */
  readonly hash: string
  /** The covered files, relative to the project. */
  readonly files: readonly string[]
}

/** The top of the project that a folder belongs to: the nearest folder with hooks or with `.git`, else the folder itself. */
export async function findTop(cwd: string): Promise<string> {
  const start = await realpath(cwd).catch(() => cwd)
  for (let folder = start; ; folder = dirname(folder)) {
    if ((await exists(join(folder, HOOKS_FILE))) || (await exists(join(folder, '.git')))) return folder
    if (dirname(folder) === folder) return start
  }
}

/** Whether a file of hooks lies in the folder or above it, of whatever project. */
export function mayHaveHooks(cwd: string): boolean {
  const start = existsSync(cwd) ? realpathSync(cwd) : resolve(cwd)
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, HOOKS_FILE))) return true
    if (dirname(folder) === folder) return false
  }
}

/** Undefined for a project without hooks. Throws `HOOKS_FILE`. */
export async function readProject(project: string): Promise<ProjectHooks | undefined> {
  const file = join(project, HOOKS_FILE)
  if (!(await exists(file))) return undefined
  try {
    const text = await readBounded(file)
    const { parse } = await import('yaml')
    const { data, error } = projectFile.safeParse(parse(text.toString('utf8')))
    if (!data) throw new Error(z.prettifyError(error))
    const hooks = parseHooks('project', data.hooks)
    return { project, hooks, ...(await digest(project, text, hooks)) }
  } catch (error) {
    throw new SvcError('HOOKS_FILE', `${file}: ${errorMessage(error)}`, { cause: error })
  }
}

async function digest(
  project: string,
  text: Buffer,
  hooks: readonly Hook[],
): Promise<Pick<ProjectHooks, 'hash' | 'files'>> {
  const named = await Promise.all(hooks.flatMap((hook) => splitWords(hook)).map((word) => findFile(project, word)))
  const scripts = await listFiles(join(project, SCRIPTS))
  const files = [...new Set([...scripts, ...named.flatMap((file) => file ?? [])])].sort()
  if (files.length > MAX_FILES) throw new Error(`it runs more than ${MAX_FILES} files`)
  const hash = createHash('sha256').update(`${HOOKS_FILE}\0${text.length}\0`).update(text)
  for (const file of files) {
    const content = await readBounded(file)
    hash.update(`${file.slice(project.length)}\0${content.length}\0`).update(content)
  }
  return { hash: hash.digest('hex'), files: [HOOKS_FILE, ...files.map((file) => file.slice(project.length + 1))] }
}

/** What may be the path of a script: words of the command, without quotes and with the variables of the project filled in. */
function splitWords({ command, args = [] }: Hook): readonly string[] {
  const words = [...command.split(/[\s;&|()<>]+/), ...args].map((word) => word.replace(/["']/g, ''))
  return words.map((word) => word.replace(/^\$\{?(?:CLAUDE|SVC)_PROJECT_DIR\}?\/?/, './')).filter((word) => word !== '')
}

/** The file that a word names, if it is one of the project. */
async function findFile(project: string, word: string): Promise<string | undefined> {
  const path = await realpath(resolve(project, word)).catch(() => undefined)
  if (path === undefined || !path.startsWith(project + sep)) return undefined
  return (await stat(path)).isFile() ? path : undefined
}

async function listFiles(folder: string): Promise<readonly string[]> {
  if (!(await exists(folder))) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
}

async function readBounded(file: string): Promise<Buffer> {
  if ((await stat(file)).size > MAX_FILE_BYTES) throw new Error(`${file} is larger than 1 MiB`)
  return readFile(file)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
