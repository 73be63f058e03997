/** Names of earlier SDKs that a plugin uses, as commands print them. */
import { type CliContext, logFault, type PluginContext } from 'svc/sdk'
import { type PluginInfo, Plugins } from 'svc/sdk/host'
import { formatCount, quotePath, safeLine, wrapText } from 'svc/sdk/kit/terminal'
import type { OldName } from './migrate/files.ts'
import { isForeign } from './switches.ts'

const SHOWN = 5

/** The old names in the code of a plugin that may use them. The code is read, not run. */
export async function findUsedOldNames(
  ctx: PluginContext<undefined>,
  { manifest, origin, dir }: Pick<PluginInfo, 'manifest' | 'origin' | 'dir'>,
): Promise<readonly OldName[]> {
  if (!isForeign(origin) || !/0\.1|\*|</.test(manifest.sdk)) return []
  return findOldNamesIn(ctx, dir)
}

/** The old names in the code of a folder; empty where it cannot be read. */
export async function findOldNamesIn(ctx: PluginContext<undefined>, dir: string): Promise<readonly OldName[]> {
  try {
    const { findOldNames } = await import('./migrate/files.ts')
    return await findOldNames(dir, await ctx.use(Plugins).sdkNames())
  } catch (error) {
    // Only advice depends on it: the command says the rest.
    logFault(ctx.log, `the search for old names in ${dir}`, error)
    return []
  }
}

/** `SVCDEP007 MessageReceived -> BeforeUserMessage of svc/sdk, removed in 0.4 (index.ts:3)`. */
export function describeOldName({ code, old, new: name, entry, removed, file, line }: OldName): string {
  return safeLine(`${code} ${old} -> ${name} of ${entry}, removed in ${removed} (${file}:${line})`)
}

/** A sentence for one plugin; `word` is how to name it to `svc plugins migrate`. */
export function printOldNames(io: CliContext, name: string, used: readonly OldName[], word: string = name): void {
  if (used.length === 0) return
  const first = used.slice(0, SHOWN).map(({ code, old }) => `${code} ${old}`)
  const rest = used.length > SHOWN ? [`${used.length - SHOWN} more`] : []
  const which = [...first, ...rest].join(', ')
  const sentence = `${name} uses ${formatCount(used.length, 'old name')} of the SDK: ${which}. To rewrite: svc plugins migrate ${quotePath(word)}`
  io.out(`${wrapText(io, safeLine(sentence), '  ')}\n`)
}
