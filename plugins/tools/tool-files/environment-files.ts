/** The files of the environment that the commands of a session run in, by the same rules as those of this machine. */
import { posix } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { ResolvedPath } from 'svc/sdk/safety'
import type { EnvironmentFileInfo, EnvironmentFiles, ExecutionEnvironment } from 'svc/sdk/shell'
import type { ExistingFile, FileAccess } from './access.ts'
import { fileError, type ListNames, missing } from './file-error.ts'
import type { ByteSource } from './line-window.ts'
import { isFolder, isSpecial, namesFolder } from './local-files.ts'
import { notRegular } from './opened.ts'
import { isFetched } from './origin.ts'
import { checkPath, showName } from './paths.ts'
import { checkReadable, checkWritable, isInside, isReadable, type ProtectedFolders } from './protection.ts'

/** Bytes that are fetched at once, the first time and then. */
const FIRST_BYTES = 524_288
const NEXT_BYTES = 4_194_304
const MAX_NAMES = 5000

/** An environment with files, and what they are judged by. */
export interface There extends ExecutionEnvironment {
  readonly files: EnvironmentFiles
  readonly places: ProtectedFolders
}

/** `safe` is what SVC_WRITE_SAFE_ROOT holds. Throws `FILE_ENVIRONMENT`. */
export function describeThere(environment: ExecutionEnvironment, safe: string | undefined): There {
  const { files, home, label } = environment
  if (files === undefined) {
    const advice = 'Files of this machine are not touched in their place; use commands'
    throw new SvcError('FILE_ENVIRONMENT', `${label} runs commands, but svc does not reach its files. ${advice}.`)
  }
  return { ...environment, files, places: { homes: [`${home}/.svc`], readable: [], user: home, safe } }
}

/** The absolute path; relative ones start where commands begin. Throws `FILE_BAD_PATH`. */
export function pathThere(path: string, { folder, home }: ExecutionEnvironment): string {
  checkPath(path)
  return posix.resolve(
    folder,
    path.replace(/^~(?=\/|$)/, () => home),
  )
}

/** Throws the error for something that is missing there, with names that were perhaps meant. */
export function missingThere(path: string, { files }: There): Promise<never> {
  const list: ListNames = async (folder) => {
    const listed = await files.list(folder, { depth: 1, limit: MAX_NAMES }).catch(() => undefined)
    return listed?.entries.map((entry) => entry.path)
  }
  return missing(Object.assign(new Error(path), { code: 'ENOENT' }), path, list)
}

/** Of the files there. */
export function accessThere(there: There): FileAccess {
  const { files, places, label } = there
  const resolve = async (path: string): Promise<ResolvedPath & EnvironmentFileInfo> => {
    const asked = pathThere(path, there)
    const info = await files.info(asked).catch((error: unknown) => {
      throw fileError(error, asked)
    })
    const outside = !isInside(info.path, there.folder)
    const where = outside ? ', outside the working folder' : ''
    const note =
      info.path === asked ? undefined : `${showName(asked)} leads through a link to ${showName(info.path)}${where}`
    return { ...info, outside, note }
  }
  const toResolved = ({ path, outside, note }: ResolvedPath): ResolvedPath => ({ path, outside, note })
  return {
    async readable(path) {
      const found = await resolve(path)
      if (found.kind === 'missing') await missingThere(found.path, there)
      checkReadable(found.path, places)
      return toResolved(found)
    },
    async writable(path) {
      if (/\/$/.test(path.trim())) throw namesFolder(path)
      const found = await resolve(path)
      checkWritable(found.path, places)
      return toResolved(found)
    },
    isReadable: (path) => isReadable(path, places),
    checkReadable: (path) => checkReadable(path, places),
    async examine(path): Promise<ExistingFile | undefined> {
      const { kind, size, mode, version } = await files.info(path)
      if (kind === 'missing') return undefined
      if (kind === 'folder') throw isFolder(path)
      if (kind === 'other') throw isSpecial(path)
      return { size, mode, stamp: version }
    },
    async open(path, signal) {
      const asked = pathThere(path, there)
      checkReadable(asked, places)
      const first = await files
        .read(asked, { offset: 0, length: FIRST_BYTES, signal })
        .catch(async (error: unknown) => {
          const { code } = error as NodeJS.ErrnoException
          if (code === 'ENOENT') await missingThere(asked, there)
          if (code === 'ENXIO') throw notRegular(asked)
          if (code !== 'EISDIR') throw signal.aborted ? error : fileError(error, asked)
          throw new SvcError('FILE_IS_FOLDER', `${showName(asked)} is a folder; list_files shows what is in it.`)
        })
      // What was read is judged by where it really is.
      checkReadable(first.path, places)
      const source = createSource(files, first.path, Buffer.from(first.bytes), first.size, signal)
      return { source, size: first.size, stamp: first.version, path: first.path, close: async () => undefined }
    },
    async readWhole(path) {
      const { bytes, path: real } = await files.read(path)
      checkReadable(real, places)
      return Buffer.from(bytes)
    },
    async commit(writes, signal) {
      const changes = writes.map(({ path, text, before, mode }) => ({
        path,
        expects: before?.stamp ?? '',
        ...(text !== undefined && { bytes: Buffer.from(text) }),
        ...(mode !== undefined && before === undefined && { mode: mode & 0o7777 }),
      }))
      await files.write(changes, { signal }).catch((error: unknown) => {
        const names = writes.map(({ path }) => path).join(', ')
        throw signal.aborted ? error : fileError(error, names)
      })
    },
    async stamp(path) {
      return (await files.info(path)).version || undefined
    },
    key: (path) => `${label}:${path}`,
    origin: async (paths) => findOriginThere(paths, there),
  }
}

/** As `findOrigin`, but repositories inside of the folder are not looked for. */
export function findOriginThere(paths: readonly string[], { folder, home }: ExecutionEnvironment): string | undefined {
  if (paths.length === 0) return undefined
  if (folder === home || folder === '/') return 'a file outside of a project'
  if (!paths.every((path) => isInside(path, folder))) return 'a file outside of the project'
  return paths.some((path) => isFetched(posix.relative(folder, posix.dirname(path))))
    ? 'a file of a package'
    : undefined
}

/** Fetches what is read, in large pieces. */
function createSource(
  files: EnvironmentFiles,
  path: string,
  beginning: Buffer,
  size: number,
  signal: AbortSignal,
): ByteSource {
  let piece = { at: 0, bytes: beginning }
  return {
    async read(buffer, offset, length, position) {
      const isHeld = () => position >= piece.at && position < piece.at + piece.bytes.length
      if (!isHeld() && position < size) {
        const { bytes } = await files.read(path, { offset: position, length: NEXT_BYTES, signal })
        piece = { at: position, bytes: Buffer.from(bytes) }
      }
      if (!isHeld()) return { bytesRead: 0 }
      const from = position - piece.at
      return { bytesRead: piece.bytes.copy(buffer, offset, from, from + length) }
    },
  }
}
