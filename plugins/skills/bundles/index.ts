import { CliCommands, Clock, createTranslator, definePlugin, Home, SlashCommands } from 'svc/sdk'
import { CommandProviders } from 'svc/sdk/host'
import { Skills } from 'svc/sdk/skills'
import { bundlesCliCommand } from './cli.ts'
import { bundleCommands, bundlesCommand } from './commands.ts'
import { BundleStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const store = new BundleStore(ctx.use(Home).path('skill-bundles'), () => ctx.use(Clock))
    const deps = { store, skills: () => ctx.use(Skills), t: createTranslator(ctx) }
    ctx.add(CommandProviders, bundleCommands(deps))
    ctx.add(SlashCommands, bundlesCommand(deps))
    ctx.add(CliCommands, bundlesCliCommand(deps))
    // Commands are asked for without waiting: what there is has to be known before the first line is typed.
    ctx.onStart(async () => {
      await store.all()
    })
  },
})
