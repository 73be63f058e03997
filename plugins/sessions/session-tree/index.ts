/** Wires the tree, its labels, and the commands that show it. */
import { join } from 'node:path'
import { Clock, definePlugin, Sessions, SlashCommands } from 'svc/sdk'
import { forgetWithSessions, SessionTrees } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { SharedTables } from 'svc/sdk/store'
import { treeCommands } from './commands.ts'
import { sharedTables } from './shared.ts'
import { LabelStore } from './store.ts'
import { Trees } from './trees.ts'

export default definePlugin({
  setup(ctx) {
    const file = join(ctx.dataDir, 'labels.db')
    const store = new LabelStore(() => ctx.use(Storage), file)
    ctx.add(SharedTables, sharedTables(file))
    const ports = { sessions: () => ctx.use(Sessions), now: () => ctx.use(Clock).now() }
    ctx.provide(SessionTrees, () => new Trees(store, ports))
    for (const command of treeCommands(ctx)) ctx.add(SlashCommands, command)
    forgetWithSessions(ctx, { sessions: () => store.sessions(), forget: (ids) => store.forget(ids) })
    ctx.defer(() => store.close())
  },
})
