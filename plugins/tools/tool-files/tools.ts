/** The file tools, as the model is told of them. The work of each is imported when it is first used. */
import { resolve } from 'node:path'
import { type Clock, defineTool, type Home, type Random, type Tool } from 'svc/sdk'
import type { ExecutionEnvironment } from 'svc/sdk/shell'
import { z } from 'zod'
import type { PathLocks } from './commit.ts'
import { expandHome } from './paths.ts'
import type { ReadHistory } from './read-history.ts'
import type { SecretFiles } from './secret-files.ts'
import { listView, readView, searchView, writeView } from './view.ts'

export interface FileDeps {
  readonly home: () => Home
  readonly clock: () => Clock
  readonly random: () => Random
  readonly mask: (text: string) => string
  /** What SVC_WRITE_SAFE_ROOT holds. */
  readonly safeRoot: () => string | undefined
  /** The ripgrep program; undefined where there is none. */
  readonly ripgrep: () => Promise<string | undefined>
  /** Folders in the home that plugins opened for reading. */
  readonly readable: () => readonly string[]
  /** The environment that the commands of a session run in; undefined where that is this machine. */
  readonly environment: (session: {
    readonly sessionId: string
    readonly cwd: string
  }) => Promise<ExecutionEnvironment | undefined>
  /** Nothing of this machine is in reach of that environment. */
  readonly isIsolated: () => boolean
  readonly secrets: SecretFiles
  readonly ledger: ReadHistory
  readonly locks: PathLocks
}

const readInput = z.object({
  path: z.string(),
  offset: z.number().min(0).default(1).describe('first line'),
  limit: z.number().min(1).default(500).describe('lines, at most 2000'),
})
const writeInput = z.object({ path: z.string(), content: z.string() })
const listInput = z.object({
  path: z.string().default('.'),
  glob: z.string().optional().describe('*.ts (at any depth) or src/**/*.ts'),
  depth: z.number().min(1).optional().describe('levels; default 1, with glob all'),
})
const searchInput = z.object({
  pattern: z.string().min(1).describe('regular expression'),
  path: z.string().default('.'),
  glob: z.string().optional().describe('such as *.ts'),
  mode: z.enum(['content', 'files', 'count', 'names']).default('content').describe('names: of files'),
  context: z.number().min(0).default(0),
  limit: z.number().min(1).default(50),
  offset: z.number().min(0).default(0),
})

export type ReadInput = z.infer<typeof readInput>
export type WriteInput = z.infer<typeof writeInput>
export type ListInput = z.infer<typeof listInput>
export type SearchInput = z.infer<typeof searchInput>

/** Spelled the same however it was asked for, so that calls on one file are seen to overlap. */
const paths = ({ path }: { readonly path: string }, cwd: string) => [resolve(cwd, expandHome(path))]

/** Makes the four tools. */
export function fileTools(deps: FileDeps): readonly Tool[] {
  const isolated = deps.isIsolated
  const acts =
    (kind: 'reads' | 'writes') =>
    async ({ path }: { readonly path: string }, session: { readonly cwd: string; readonly sessionId: string }) => {
      const { locate } = await import('./guarded-files.ts')
      const { paths: located, environment } = await locate([path], session, deps)
      return { [kind]: located, ...(environment !== undefined && { environment }) }
    }
  const reading = {
    ...({ effect: 'pure', toolset: 'file', parallel: true, reach: 'machine' } as const),
    ...{ paths, isolated, acts: acts('reads') },
  }
  return [
    defineTool<ReadInput>({
      name: 'read_file',
      knownAs: [{ name: 'Read', fields: { file_path: 'path' } }],
      description: 'Read a text file. Lines are numbered (number, tab, text).',
      input: readInput,
      ...reading,
      scope: { core: true, scripts: true, pages: true, opensKept: 'with offset and limit' },
      view: readView,
      run: async (input, turn) => (await import('./read-file.ts')).readFile(input, turn, deps),
    }),
    defineTool<WriteInput>({
      name: 'write_file',
      knownAs: [{ name: 'Write', fields: { file_path: 'path' } }],
      description: 'Create or replace a whole file. Missing folders are made.',
      input: writeInput,
      effect: 'idempotent',
      toolset: 'file',
      parallel: true,
      reach: 'machine',
      scope: { core: true, scripts: true },
      paths,
      isolated,
      acts: acts('writes'),
      view: writeView,
      run: async (input, turn) => (await import('./write-file.ts')).writeFile(input, turn, deps),
    }),
    defineTool<ListInput>({
      name: 'list_files',
      knownAs: [{ name: 'Glob', fields: { pattern: 'glob' } }, { name: 'LS' }],
      description: 'List a folder. Folders end with /.',
      input: listInput,
      ...reading,
      scope: { core: true },
      view: listView,
      run: async (input, turn) => (await import('./list-files.ts')).listFiles(input, turn, deps),
    }),
    defineTool<SearchInput>({
      name: 'search_files',
      knownAs: [{ name: 'Grep' }],
      description: 'Search text files or file names. Skips .git, node_modules, ignored files.',
      input: searchInput,
      ...reading,
      scope: { core: true, scripts: true, opensKept: '' },
      view: searchView,
      run: async (input, turn) => (await import('./search-files.ts')).searchFiles(input, turn, deps),
    }),
  ]
}
