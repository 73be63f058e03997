/** The switch to a newer version, as the shell command and other plugins ask for it. */
import { Clock, Home, type PluginContext, Random, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { withFileLock } from 'svc/sdk/kit/process'
import { Backups, type Updates } from 'svc/sdk/operations'
import type { Installation } from './installation.ts'
import { chooseSource, openInstallation } from './open-installation.ts'
import { type InstallOptions, installVersion } from './versions.ts'

type Context = PluginContext<undefined>

export interface ApplyOptions extends Pick<InstallOptions, 'source' | 'candidate' | 'deps' | 'say'> {
  readonly signal: AbortSignal
  readonly isBackedUp: boolean
}

/** Contract: `Updates.apply` of the SDK. */
export async function apply(
  ctx: Context,
  { signal, report = () => {} }: Parameters<Updates['apply']>[0],
): Promise<{ readonly version: string }> {
  const { foreign, ...deps } = await openInstallation(ctx, signal)
  if (foreign !== undefined) throw new SvcError('UPDATE_METHOD', foreign, { status: 409 })
  const { installation } = deps
  const source = chooseSource(installation)
  const candidate = await source.find(deps, undefined)
  if (!candidate.isNewer) return { version: installation.version }
  const { chosen } = await install(ctx, { source, candidate, deps, signal, isBackedUp: true, say: report })
  return { version: chosen.current.version }
}

/** Throws what `installVersion` throws, and `UPDATE_BUSY`. */
export async function install(ctx: Context, { signal, isBackedUp, ...options }: ApplyOptions) {
  return exclusively(ctx, options.deps.installation, () =>
    installVersion({
      ...options,
      home: ctx.use(Home).root,
      work: ctx.use(Home).path('cache', `update-${ctx.use(Random).hex(4)}`),
      plugins: listOwnPlugins(ctx),
      ...(isBackedUp && { backUp: () => backUp(ctx, signal) }),
    }),
  )
}

/** Plugins that a person brought and that run. */
function listOwnPlugins(ctx: Context): Map<string, string> {
  const own = ctx
    .use(Plugins)
    .list()
    .filter(({ origin, status }) => (origin === 'home' || origin === 'npm') && status !== 'left-out')
  return new Map(own.map(({ manifest, dir }) => [manifest.name, dir]))
}

async function backUp(ctx: Context, signal: AbortSignal): Promise<string> {
  const backups = await ctx.use(Plugins).bring(Backups)
  if (!backups)
    throw new SvcError(
      'UPDATE_SWITCH',
      'The home cannot be backed up: the plugin for it is switched off. To update without: --no-backup',
    )
  const { file } = await backups.create({ signal })
  return file
}

/** One update at a time. Throws `UPDATE_BUSY`. */
export function exclusively<T>(ctx: Context, { versions }: Installation, work: () => Promise<T>): Promise<T> {
  const options = {
    file: `${versions}.lock`,
    clock: ctx.use(Clock),
    random: ctx.use(Random),
    waitMs: 0,
    onTimeout: () =>
      new SvcError('UPDATE_BUSY', 'Another process is updating this svc. Wait until it has ended.', { status: 409 }),
  }
  return withFileLock(options, work)
}
