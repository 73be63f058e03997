import { definePlugin, type PluginContext, Random, SlashCommands } from 'svc/sdk'
import { PlatformChanged } from 'svc/sdk/hooks'
import { createDebugCommand } from './debug-command.ts'
import { createRestartCommand, createUpdateCommand } from './operator-commands.ts'
import { PendingReturn } from './pending-return.ts'

export default definePlugin<undefined>({
  setup(ctx) {
    const pending = new PendingReturn(ctx, ctx.keep('run', nameRun))
    ctx.add(SlashCommands, createRestartCommand(ctx, pending))
    ctx.add(SlashCommands, createUpdateCommand(ctx, pending))
    ctx.add(SlashCommands, createDebugCommand(ctx))
    // Only the process that is the gateway has platforms that change.
    ctx.on(PlatformChanged, ({ name, state }) => (state === 'connected' ? pending.announce(name) : undefined))
  },
})

/** Tells this process from a later one, also after a reload of this plugin. */
function nameRun(ctx: PluginContext<undefined>): string {
  return ctx.use(Random).hex(8)
}
