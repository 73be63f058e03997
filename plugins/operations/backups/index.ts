import { CliCommands, Clock, definePlugin, Home, Random } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { BackupRules, Backups } from 'svc/sdk/operations'
import { createBackupCommand } from './cli.ts'
import { homeRule } from './contents.ts'

export default definePlugin({
  setup(ctx) {
    const rules = ctx.all(BackupRules)
    ctx.provide(Backups, () => ({
      create: async (options) => {
        const { createBackup } = await import('./create.ts')
        const deps = {
          home: ctx.use(Home),
          clock: ctx.use(Clock),
          random: ctx.use(Random),
          rules: rules.all(),
          log: ctx.log,
        }
        const owner = (rule: string) => rules.owner(rule)
        return createBackup(
          { ...deps, owner, program: ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '0.0.0' },
          options,
        )
      },
    }))
    ctx.add(BackupRules, homeRule)
    ctx.add(CliCommands, createBackupCommand(ctx))
  },
})
