/** Wires the provider `moa`, its calls, and the command for one turn. */
import { createTranslator, definePlugin, SlashCommands } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { AroundModelCall } from 'svc/sdk/hooks'
import { Providers } from 'svc/sdk/provider'
import { SelectModel } from 'svc/sdk/sessions'
import { moaCommand, OneTurn } from './commands.ts'
import { config, NAME } from './config.ts'
import { Mixture } from './mixture.ts'
import { createProvider } from './provider.ts'
import { moaRoutes } from './routes.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const mixture = new Mixture(ctx)
    const turn = new OneTurn()
    ctx.add(Providers, createProvider(ctx))
    ctx.add(SlashCommands, moaCommand(ctx, turn, createTranslator(ctx)))
    for (const route of moaRoutes(ctx)) ctx.add(DashboardRoutes, route)
    ctx.on(SelectModel, (chosen, context) => turn.select(chosen, context, ctx.config.default_preset))
    // Here it is known who pays, and every other listener is around it.
    ctx.on(AroundModelCall, async (attempt, next) =>
      attempt.provider === NAME ? mixture.stream(attempt) : next(attempt),
    )
  },
})
