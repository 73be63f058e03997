/** What of the home is ours: the folder of skills, and `.no-bundled-skills`, by which a user wants no built-in ones. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Home, type PluginContext } from 'svc/sdk'

/** It may not exist yet. */
export function findSkillsFolder(ctx: Pick<PluginContext<undefined>, 'use'>): string {
  return ctx.use(Home).path('skills')
}

/** Left out: the marker of the active home. */
export function findMarker(ctx: Pick<PluginContext<undefined>, 'use'>, home = ctx.use(Home).dir): string {
  return join(home, '.no-bundled-skills')
}

export function isOptedOut(ctx: Pick<PluginContext<undefined>, 'use'>): boolean {
  return existsSync(findMarker(ctx))
}
