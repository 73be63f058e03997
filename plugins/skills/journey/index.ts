/** Wires the command and the routes. What was learned comes from the plugins that know it. */
import { createTranslator, definePlugin, Sessions, SlashCommands } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { LearningSources } from 'svc/sdk/skills'
import { journeyCommand } from './commands.ts'
import type { JourneyDeps } from './entries.ts'
import { learningRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    const sources = ctx.all(LearningSources)
    const deps: JourneyDeps = {
      sources: () => sources.all(),
      sessionTitle(id) {
        try {
          return ctx.use(Sessions).summary(id).title ?? ''
        } catch {
          // It was deleted, or nothing stores sessions here: what was learned in it stays.
          return undefined
        }
      },
      failed: (source, error) => ctx.log.warn('a source could not be read', { source, error }),
    }
    const removed = ctx.keep('removed', (): string[] => [])
    ctx.add(SlashCommands, journeyCommand(deps, { removed, t: createTranslator(ctx), log: ctx.log }))
    for (const route of learningRoutes(deps)) ctx.add(DashboardRoutes, route)
  },
})
