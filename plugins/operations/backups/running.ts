/** Whether svc runs in a home that is to be replaced: it would go on writing to the one that was. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Home, type PluginContext, SvcError } from 'svc/sdk'
import { Control, Plugins } from 'svc/sdk/host'

const WAIT_MS = 2000

/** Throws `BACKUP_IN_USE`. */
export async function requireUnused(ctx: PluginContext<undefined>): Promise<void> {
  const { dir, profile } = ctx.use(Home)
  const control = await ctx.use(Plugins).bring(Control)
  const profiles = join(dir, 'profiles')
  const homes = [
    dir,
    ...(profile === undefined && existsSync(profiles) ? readdirSync(profiles).map((name) => join(profiles, name)) : []),
  ]
  const found = []
  for (const home of homes)
    found.push(...((await control?.ask('plugins.list', {}, { home, timeoutMs: WAIT_MS })) ?? []))
  const others = found.filter(({ pid }) => pid !== process.pid).map(({ command, pid }) => `${command} (process ${pid})`)
  if (others.length === 0) return
  const message = `svc runs in ${dir}: ${others.join(', ')}. End that first (a gateway with svc gateway stop), then restore again. Or restore into a new folder with --to.`
  throw new SvcError('BACKUP_IN_USE', message, { status: 409 })
}
