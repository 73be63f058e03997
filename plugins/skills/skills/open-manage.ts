/** What changes of skills by the agent work with. Imported for the first of them. */
import { join } from 'node:path'
import { Clock, Home, type PluginContext, Random, Secrets } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { SkillScanner, Skills } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import type { EditBook } from './edits.ts'
import type { ManageDeps } from './manage.ts'
import { StagedWrites } from './staged/store.ts'

export function openManage(
  ctx: Pick<PluginContext<unknown>, 'use' | 'dataDir' | 'log'>,
  edits: PluginState<EditBook>,
): ManageDeps {
  const clock = () => ctx.use(Clock)
  const random = () => ctx.use(Random)
  return {
    ...{ edits, clock, random, log: ctx.log, skills: () => ctx.use(Skills) },
    root: ctx.use(Home).path('skills'),
    staging: join(ctx.dataDir, 'staging'),
    staged: new StagedWrites(join(ctx.dataDir, 'pending'), clock, random),
    scanner: () => ctx.use(Plugins).bring(SkillScanner),
    mask: (text) => ctx.use(Secrets).mask(text),
  }
}
