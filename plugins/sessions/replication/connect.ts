/** Connects to the server, with all that takes; imported when something is shared for the first time. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, type PluginContext, Random } from 'svc/sdk'
import { getMachineName, ownProcess } from 'svc/sdk/kit/process'
import { SharedStore } from 'svc/sdk/store'
import type { Config } from './config.ts'
import { Link, type LinkDeps } from './link.ts'
import { createMigrations, type Tables } from './schema.ts'

export async function connect(
  ctx: PluginContext<Config>,
  deps: Pick<LinkDeps, 'copies' | 'epochs' | 'lost'>,
): Promise<Link> {
  const database = await ctx
    .use(SharedStore)
    .open<Tables>({ owner: 'replication', migrations: createMigrations(ctx.use(Random).uuid()) })
  const machine = getMachineName()
  const own = {
    ...ownProcess(),
    runner: ctx.use(Random).uuid(),
    node: `${machine}/${findHomeId(ctx.dataDir, ctx.use(Random))}`,
    holder: `svc on ${machine} (${ctx.process.role}, process ${process.pid})`,
  }
  return new Link({
    ...deps,
    database,
    own,
    clock: ctx.use(Clock),
    log: ctx.log,
    ttlMs: ctx.config.lease_seconds * 1000,
  })
}

/** Tells this home from others on the same machine. Made once. */
function findHomeId(folder: string, random: Random): string {
  const file = join(folder, 'home-id')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, random.uuid(), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}
