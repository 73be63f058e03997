/** The tool `patch`, as the model is told of it. Its work is imported when it is first used. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { defineTool, type Tool } from 'svc/sdk'
import type { GuardedFiles } from 'svc/sdk/safety'
import { z } from 'zod'
import type { Misses } from './misses.ts'
import { patchView } from './view.ts'

export interface PatchDeps {
  readonly guard: () => GuardedFiles
  /** Nothing of this machine is in reach of the environment that files are in. */
  readonly isIsolated: () => boolean
  readonly misses: Misses
}

const input = z.object({
  mode: z.enum(['replace', 'patch']).default('replace'),
  path: z.string().optional(),
  old_string: z.string().optional().describe('must be unique'),
  new_string: z.string().optional(),
  replace_all: z.boolean().default(false),
  patch: z.string().optional().describe('V4A: *** Begin Patch, *** Add|Update|Delete File: x, *** Move to: y, @@'),
})

export type PatchInput = z.infer<typeof input>

/** Makes the tool. */
export function patchTool(deps: PatchDeps): Tool {
  return defineTool<PatchInput>({
    name: 'patch',
    knownAs: [{ name: 'Edit', fields: { file_path: 'path' } }, { name: 'MultiEdit' }],
    description: 'Change part of a file (mode replace) or several files at once (mode patch).',
    input,
    effect: 'undoable',
    toolset: 'file',
    parallel: true,
    reach: 'machine',
    scope: { core: true, scripts: true },
    paths: listPaths,
    view: patchView,
    isolated: deps.isIsolated,
    acts: async (wanted, session) => {
      const { paths, environment } = await deps.guard().locate(listNames(wanted), session)
      return { writes: paths, ...(environment !== undefined && { environment }) }
    },
    run: async (wanted, turn) => (await import('./patch.ts')).patch(wanted, turn, deps),
  })
}

/** Every file that is named. */
function listNames({ mode, path, patch = '' }: PatchInput): readonly string[] {
  const headers = patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to):[ \t]*(.+?)\s*$/gm)
  return mode === 'patch' ? [...headers].map((found) => found[1] ?? '') : path === undefined ? [] : [path]
}

/** The same, spelled the same however it was asked for. */
function listPaths(input: PatchInput, cwd: string): readonly string[] {
  return listNames(input).map((each) =>
    resolve(
      cwd,
      each.replace(/^~(?=\/|$)/, () => homedir()),
    ),
  )
}
