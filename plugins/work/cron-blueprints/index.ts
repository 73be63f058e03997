/** Wires blueprints and suggestions of scheduled jobs. */
import { CliCommands, Clock, createTranslator, definePlugin, logFault, Random, SlashCommands } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'
import { requireService } from 'svc/sdk/kit/net'
import { Skills } from 'svc/sdk/skills'
import { blueprintCommands } from './cli.ts'
import { blueprintCommand, suggestionsCommand } from './commands.ts'
import { BlueprintLibrary } from './library.ts'
import { blueprintRoutes } from './routes.ts'
import { EMPTY_BOOK, suggestionBook } from './suggestion-book.ts'
import { Suggestions } from './suggestions.ts'

export default definePlugin({
  setup(ctx) {
    const jobs = async () => requireService(await ctx.use(Plugins).bring(CronJobs), CronJobs.id)
    const library = new BlueprintLibrary({
      skills: () => ctx.use(Plugins).bring(Skills),
      jobs,
      warn: (problem) => ctx.log.warn('the blueprint of a skill is not used', { ...problem }),
    })
    const onProblem = (error: unknown) => logFault(ctx.log, 'suggestions could not be brought up to date', error)
    const suggestions = new Suggestions({
      ...{ library, jobs, onProblem },
      state: ctx.state('suggestions', { schema: suggestionBook, initial: EMPTY_BOOK }),
      now: () => ctx.use(Clock).now(),
      createKey: () => ctx.use(Random).hex(16),
    })
    const deps = { library, suggestions, jobs, t: createTranslator(ctx) }
    for (const command of blueprintCommands(deps)) ctx.add(CliCommands, command)
    ctx.add(SlashCommands, blueprintCommand(deps))
    ctx.add(SlashCommands, suggestionsCommand(deps))
    for (const route of blueprintRoutes(deps)) ctx.add(DashboardRoutes, route)

    let refreshing: Promise<void> = Promise.resolve()
    const refresh = () => {
      refreshing = refreshing.then(() => suggestions.refresh()).catch(onProblem)
    }
    // Also where a skill is installed: the process that does it has the service.
    ctx.onStart(() => {
      ctx.find(Skills)?.onChange(({ added, changed, removed }) => {
        if (added.length + changed.length + removed.length > 0) refresh()
      })
      if (ctx.process.role === 'gateway') refresh()
    })
    ctx.defer(() => refreshing)
  },
})
