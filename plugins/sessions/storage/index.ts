import { CliCommands, Clock, definePlugin, Home, Random } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { BackupRules } from 'svc/sdk/operations'
import { Storage } from 'svc/sdk/storage'
import { DatabaseWatchers } from 'svc/sdk/store'
import { backupRules } from './backup-rules.ts'
import { storageCommand } from './cli.ts'
import { storageCheck } from './health.ts'
import { SqliteStorage } from './storage.ts'

export default definePlugin({
  setup(ctx) {
    let storage: SqliteStorage | undefined
    ctx.provide(Storage, () => {
      const watchers = ctx.all(DatabaseWatchers)
      storage = new SqliteStorage({
        clock: ctx.use(Clock),
        random: ctx.use(Random),
        log: ctx.log,
        watchers: () => watchers.all(),
      })
      return storage
    })
    ctx.add(CliCommands, storageCommand(ctx))
    for (const rule of backupRules) ctx.add(BackupRules, rule)
    ctx.add(
      HealthChecks,
      storageCheck({
        home: () => ctx.use(Home),
        rescue: () => ({ clock: ctx.use(Clock), random: ctx.use(Random), log: ctx.log }),
      }),
    )
    ctx.defer(() => storage?.close())
  },
})
