/** The library of this home, with the folders that the configuration and plugins name. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Clock, Home, type PluginContext } from 'svc/sdk'
import { SkillDirs, SkillOrigins } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import type { Config } from './config.ts'
import type { EditBook } from './edits.ts'
import { HeaderCache } from './header-cache.ts'
import { SkillLibrary } from './library.ts'
import { collectRoots } from './roots.ts'

/** `SVC_HOME/skills`, and the folders of `skills.external_dirs`. */
export function listOwnFolders(ctx: Pick<PluginContext<Config>, 'use' | 'config'>): readonly [string, ...string[]] {
  const further = ctx.config.external_dirs.map((path) => resolve(path.replace(/^~(?=$|[/\\])/, homedir())))
  return [ctx.use(Home).path('skills'), ...further]
}

export function openLibrary(ctx: PluginContext<Config>, edits: Pick<PluginState<EditBook>, 'get'>): SkillLibrary {
  return new SkillLibrary({
    clock: () => ctx.use(Clock),
    log: ctx.log,
    headers: new HeaderCache(join(ctx.dataDir, 'headers.json'), ctx.log),
    roots: () => {
      const [home, ...folders] = listOwnFolders(ctx)
      return collectRoots({
        home,
        created: edits.get().created.map(({ folder }) => folder),
        folders,
        dirs: ctx.all(SkillDirs),
        records: ctx.all(SkillOrigins),
      })
    },
  })
}
