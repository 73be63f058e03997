/** `EnvironmentFiles` over the commands of a POSIX shell, for environments that have nothing better. */
import type {
  EnvironmentFileBytes,
  EnvironmentFileChange,
  EnvironmentFileInfo,
  EnvironmentFiles,
} from '../../environments.ts'
import type { ShellEnvironment } from '../../terminals.ts'
import { listFolder } from './list.ts'
import { type Run, runScript } from './run-script.ts'
import { COMMIT, DROP, INFO, PUT, READ, READ_ALL, STAGE_ONLY } from './scripts.ts'
import { findNames, searchFiles } from './search.ts'
import { readState } from './state.ts'

const BLOCK = 65_536
/** The kinds of stat(2), by the first bits of the raw mode. */
const KINDS: Readonly<Record<number, EnvironmentFileInfo['kind']>> = { 8: 'file', 4: 'folder' }

/**
 * What the files are made of.
 * @since 0.2
 */
export interface FilesOverCommandsOptions {
  /** An unguessable text of hexadecimal digits, another one each time. */
  readonly mark: () => string
}

/**
 * Files by commands alone: each call starts one program of the environment (several changes at once: one for each, and
 * one). Between a look at a path and its use another program there can exchange folders and links; a write whose folder was
 * replaced by a link is refused with `ESTALE`.
 * @since 0.2
 */
export function createFilesOverCommands(
  environment: Pick<ShellEnvironment, 'launch'>,
  { mark }: FilesOverCommandsOptions,
): EnvironmentFiles {
  const run: Run = (call) => runScript(environment, mark(), call)
  return {
    async info(path, { signal } = {}) {
      const { output } = await run({ script: INFO, args: [path], signal })
      return readInfos(output)[0] as EnvironmentFileInfo
    },
    read: (path, options = {}) => read(run, path, options),
    readAll: (folder, paths, { signal } = {}) => readAll(run, folder, paths, signal),
    write: (changes, { signal } = {}) =>
      changes.length === 1 && changes[0] && !isRemoval(changes[0])
        ? put(run, mark(), changes[0], signal)
        : commit(run, mark, changes, signal),
    list: (folder, options) => listFolder(run, folder, options),
    names: (folder, options) => findNames(run, folder, options),
    search: (folder, search) => searchFiles(run, folder, search),
  }
}

async function read(
  run: Run,
  path: string,
  { offset = 0, length, signal }: NonNullable<Parameters<EnvironmentFiles['read']>[1]>,
): Promise<EnvironmentFileBytes> {
  const isWhole = offset === 0 && length === undefined
  const first = Math.floor(offset / BLOCK)
  const skipped = offset - first * BLOCK
  const count =
    length === undefined ? Math.floor(Number.MAX_SAFE_INTEGER / BLOCK) : Math.ceil((skipped + length) / BLOCK)
  const range = isWhole ? [] : [String(first), String(Math.max(1, count))]
  const { output } = await run({ script: READ, args: [path, ...range], signal })
  const from = output.indexOf(0, output.indexOf(0) + 1) + 1
  const [info] = readInfos(output.subarray(0, from))
  const end = length === undefined ? undefined : from + skipped + length
  return { ...(info as EnvironmentFileInfo), bytes: output.subarray(from + skipped, end) }
}

async function readAll(
  run: Run,
  folder: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly (Uint8Array | undefined)[]> {
  if (paths.length === 0) return []
  const { output, mark } = await run({ script: READ_ALL, args: [folder, ...paths.map((path) => `./${path}`)], signal })
  const found: (Uint8Array | undefined)[] = []
  const begin = Buffer.from(`${mark}+`)
  const any = Buffer.from(mark)
  for (let at = output.indexOf(begin); at !== -1; at = output.indexOf(begin, at)) {
    const start = at + begin.length
    at = output.indexOf(any, start)
    found.push(output[at + any.length] === 46 ? output.subarray(start, at) : undefined)
  }
  return found
}

const isRemoval = ({ bytes, link }: EnvironmentFileChange) => bytes === undefined && link === undefined

function stageArguments(mark: string, { path, bytes, link, mode }: EnvironmentFileChange): string[] {
  const permissions = mode === undefined ? '' : (mode & 0o7777).toString(8)
  return [path, `.svc-${mark}.tmp`, String(bytes?.length ?? 0), permissions, link ?? '']
}

const expected = ({ expects }: EnvironmentFileChange) => (expects === undefined ? '' : `=${expects}`)

async function put(run: Run, mark: string, change: EnvironmentFileChange, signal: AbortSignal | undefined) {
  const args = [...stageArguments(mark, change), expected(change)]
  return readInfos((await run({ script: PUT, args, input: change.bytes, signal })).output)
}

async function commit(
  run: Run,
  mark: () => string,
  changes: readonly EnvironmentFileChange[],
  signal: AbortSignal | undefined,
): Promise<readonly EnvironmentFileInfo[]> {
  const staged: string[] = []
  const groups: string[] = []
  try {
    for (const change of changes) {
      const args = stageArguments(mark(), change)
      const folder = change.path.slice(0, change.path.lastIndexOf('/') + 1)
      if (!isRemoval(change)) {
        staged.push(`${folder}${args[1]}`)
        await run({ script: STAGE_ONLY, args, input: change.bytes, signal })
      }
      const verb = isRemoval(change) ? 'remove' : 'put'
      groups.push(change.path, verb, `${folder}${args[1]}`, `${folder}.svc-${mark()}.tmp`, expected(change))
    }
    return readInfos((await run({ script: COMMIT, args: groups, signal })).output)
  } catch (error) {
    // Where the environment is gone its copies stay; they have names of their own.
    if ((error as { code?: unknown }).code !== 'ENOTRECOVERABLE')
      await run({ script: DROP, args: staged }).catch(() => undefined)
    throw error
  }
}

/** What `tell` wrote, once or several times. */
function readInfos(output: Buffer): EnvironmentFileInfo[] {
  const parts = output.toString().split('\0')
  const infos: EnvironmentFileInfo[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) infos.push(readInfo(parts[at] ?? '', parts[at + 1] ?? ''))
  return infos
}

function readInfo(path: string, state: string): EnvironmentFileInfo {
  if (state === '') return { path, kind: 'missing', size: 0, mode: 0, version: '' }
  const { mode, size, version } = readState(state)
  return { path, kind: KINDS[mode >> 12] ?? 'other', size, mode: mode & 0o7777, version }
}
