/** Wires `svc kanban decompose` and `svc kanban specify`, and the service that plans for others. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { TaskPlanner } from 'svc/sdk/kanban'
import { decomposeCommand, specifyCommand } from './cli.ts'
import { config } from './config.ts'

export default definePlugin({
  config,
  setup(ctx) {
    ctx.add(CliCommands, decomposeCommand(ctx))
    ctx.add(CliCommands, specifyCommand(ctx))
    ctx.provide(TaskPlanner, () => ({
      decompose: async (id, options) => (await import('./planner.ts')).decompose(ctx, id, options),
      specify: async (id, options) => (await import('./planner.ts')).specify(ctx, id, options),
      propose: async (id, options) => (await import('./proposal.ts')).propose(ctx, id, options),
      accept: async (id, plan, options) => (await import('./proposal.ts')).accept(ctx, id, plan, options),
      routing: async () => (await import('./routing.ts')).readRouting(ctx),
      setRouting: async (changes) => (await import('./routing.ts')).writeRouting(ctx, changes),
      planDue: async (signal) => (await import('./auto.ts')).planDue(ctx, AbortSignal.any([signal, ctx.signal])),
    }))
  },
})
