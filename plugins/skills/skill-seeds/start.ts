/** The sync at a start: two small files are read, and nothing else happens when they agree. */
import type { PluginContext } from 'svc/sdk'
import { findSkillsFolder, isOptedOut } from './home-paths.ts'
import { readManifest } from './manifest.ts'
import { findSourceFolder, readSource } from './source.ts'

/** Does not throw: svc runs without its skills. Programs that embed svc, and tests, ask for a sync when they want one. */
export async function syncAtStart(ctx: PluginContext<undefined>): Promise<void> {
  if (ctx.process.role === 'embedded') return
  try {
    if (!isDue(ctx)) return
    const { sync } = await import('./seeds.ts')
    const { copied, updated } = await sync(ctx, { flush: false })
    ctx.log.info('built-in skills were copied', { copied: copied.length, updated: updated.length })
  } catch (error) {
    ctx.log.warn('built-in skills could not be copied', { error })
  }
}

function isDue(ctx: PluginContext<undefined>): boolean {
  return !isOptedOut(ctx) && readManifest(findSkillsFolder(ctx)).digest !== readSource(findSourceFolder()).digest
}
