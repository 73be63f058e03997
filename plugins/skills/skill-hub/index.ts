/** Wires the hub of skills. */
import { AuxiliaryModels, CliCommands, Clock, definePlugin, Home, logFault, Random, Secrets } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { StateFile } from 'svc/sdk/kit/state'
import { SkillOrigins, SkillScanner, Skills } from 'svc/sdk/skills'
import { SafeFetch } from 'svc/sdk/web'
import { hubCommands } from './cli.ts'
import { config } from './config.ts'
import { SkillHub } from './hub.ts'
import { type LockFile, lockSchema } from './lock.ts'
import { hubRoutes } from './routes.ts'
import { createSources } from './sources/all.ts'
import { allTaps, type Taps } from './taps.ts'

export default definePlugin({
  config,
  setup(ctx) {
    let opened: { readonly hub: SkillHub; readonly taps: Taps } | undefined
    const open = () => {
      const root = `${ctx.use(Home).dir}/skills`
      const clock = ctx.use(Clock)
      const random = ctx.use(Random)
      const state = new StateFile<LockFile>({
        file: `${root}/.hub/lock.json`,
        what: 'the record of installed skills',
        schema: lockSchema,
        initial: { skills: {}, taps: [] },
        clock,
        random,
        onProblem: (error) => logFault(ctx.log, 'the record of installed skills cannot be used', error),
      })
      const taps: Taps = { configured: ctx.config.taps, state, root }
      const sources = createSources(ctx.config, () => allTaps(taps), {
        request: (request) => ctx.use(SafeFetch).request(request),
        token: () => ctx.use(Secrets).get('GITHUB_TOKEN'),
      })
      const deps = {
        root,
        state,
        sources,
        clock,
        random,
        log: ctx.log,
        skills: () => ctx.use(Skills),
        scanner: () => ctx.use(SkillScanner),
        models: () => ctx.use(Plugins).bring(AuxiliaryModels),
      }
      return { hub: new SkillHub(deps), taps }
    }
    const parts = () => (opened ??= open())
    ctx.add(SkillOrigins, { name: 'hub', find: (skill) => parts().hub.findOrigin(skill) })
    for (const command of hubCommands(
      () => parts().hub,
      () => parts().taps,
    ))
      ctx.add(CliCommands, command)
    for (const route of hubRoutes(() => parts().hub)) ctx.add(DashboardRoutes, route)
  },
})
