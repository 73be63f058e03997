/** Repositories with skills: those of the configuration, and those that were added. */
import { type CliArguments, type CliContext, SvcError } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { PluginState } from 'svc/sdk/storage'
import { explainDisk } from './disk.ts'
import type { LockFile } from './lock.ts'

export interface Taps {
  readonly configured: readonly string[]
  readonly state: PluginState<LockFile>
  /** `SVC_HOME/skills`. */
  readonly root: string
}

export function allTaps({ configured, state }: Taps): string[] {
  return [...new Set([...configured, ...state.get().taps])]
}

export function listTaps(taps: Taps, input: CliArguments, io: CliContext): number {
  if (hasFlag(input, 'json')) printJson(io, { configured: taps.configured, added: taps.state.get().taps })
  else io.out(`${allTaps(taps).join('\n')}\n`)
  return 0
}

export async function addTap(taps: Taps, input: CliArguments, io: CliContext): Promise<number> {
  const repository = readRepository(input)
  await change(taps, (added) => [...new Set([...added, repository])])
  if (hasFlag(input, 'json')) printJson(io, { added: repository })
  else io.out(`Added ${repository}. \`svc skills browse github\` lists its skills.\n`)
  return 0
}

export async function removeTap(taps: Taps, input: CliArguments, io: CliContext): Promise<number> {
  const repository = readRepository(input)
  if (!taps.state.get().taps.includes(repository))
    throw new SvcError(
      'CLI_USAGE',
      `${repository} was not added. Those of \`skill_hub.taps\` are changed in config.yaml.`,
    )
  await change(taps, (added) => added.filter((each) => each !== repository))
  if (hasFlag(input, 'json')) printJson(io, { removed: repository })
  else io.out(`Removed ${repository}.\n`)
  return 0
}

/** Throws `SKILL_HUB_DISK`. */
async function change({ state, root }: Taps, work: (added: readonly string[]) => string[]): Promise<void> {
  try {
    await state.update((lock) => ({ ...lock, taps: work(lock.taps) }))
  } catch (error) {
    throw explainDisk(error, root)
  }
}

function readRepository({ args }: CliArguments): string {
  const repository = (args[0] ?? '').replace(/^https:\/\/github\.com\//, '').replace(/(?:\.git)?\/?$/, '')
  if (/^[\w][\w.-]*\/[\w.-]+$/.test(repository)) return repository
  throw new SvcError('CLI_USAGE', `${args[0] ?? ''} is no repository: write owner/repository.`)
}
