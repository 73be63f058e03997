/** Wires `svc snapshot` and `/snapshot`. What they do is loaded when it is asked for. */
import { CliCommands, createTranslator, definePlugin, SlashCommands } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { Snapshots } from 'svc/sdk/operations'
import { createSnapshotCommand } from './cli.ts'
import { createSnapshotSlash, type Pending } from './slash.ts'

export default definePlugin({
  setup(ctx) {
    const bring = async () => requireService(await ctx.use(Plugins).bring(Snapshots), Snapshots.id)
    ctx.add(CliCommands, createSnapshotCommand(bring))
    const pending = ctx.keep('pending-restore', (): Pending => ({ id: undefined, isListening: false }))
    ctx.add(SlashCommands, createSnapshotSlash(ctx, { bring, pending, t: createTranslator(ctx) }))
  },
})
