/** Finding files by a pattern. */

/** Folders that hold what others made: neither listed in depth nor searched, unless they are asked for by name. */
export const SKIPPED_FOLDERS: readonly string[] = ['.git', 'node_modules']

/** What is looked for, and how far. */
export interface GlobRequest {
  readonly folder: string
  /** `*.ts` matches at any depth, `src/*.ts` only there. */
  readonly glob: string
  readonly depth: number | undefined
  readonly only: 'files' | 'files-and-folders'
  readonly signal: AbortSignal
}

/** Paths relative to the folder, sorted; folders end with a slash. Links are not followed. Aborting keeps what was found. */
export async function findByGlob(request: GlobRequest): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  const pattern = request.glob.includes('/') ? request.glob.replace(/^\.\//, '') : `**/${request.glob}`
  const found = await glob(pattern, {
    cwd: request.folder,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    onlyFiles: request.only === 'files',
    ignore: SKIPPED_FOLDERS.map((name) => `**/${name}/**`),
    signal: request.signal,
    ...(request.depth === undefined ? {} : { deep: request.depth - 1 }),
  })
  return found.sort(byPath)
}

/** Sorts so that what is in a folder follows it. */
export function byPath(a: string, b: string): number {
  const left = a.replaceAll('/', '\0')
  const right = b.replaceAll('/', '\0')
  return left < right ? -1 : Number(left > right)
}
