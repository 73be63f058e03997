import { CliCommands, Clock, definePlugin, Home, Random } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { BackupRules, Backups } from 'svc/sdk/operations'
import { createBackupCommand } from './cli.ts'
import { homeRule } from './contents.ts'

export default definePlugin({
  setup(ctx) {
    const rules = ctx.all(BackupRules)
    const deps = () => ({
      home: ctx.use(Home),
      clock: ctx.use(Clock),
      random: ctx.use(Random),
      rules: rules.all(),
      log: ctx.log,
      owner: (rule: string) => rules.owner(rule),
      program: ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '0.0.0',
    })
    const openExports = async () => (await import('./exports.ts')).createExports(ctx, deps())
    ctx.provide(Backups, () => ({
      create: async (options) => (await import('./create.ts')).createBackup(deps(), options),
      export: async (what) => (await openExports()).export(what),
      readExport: async (source) => (await openExports()).readExport(source),
      import: async (source) => (await openExports()).import(source),
    }))
    ctx.add(BackupRules, homeRule)
    ctx.add(CliCommands, createBackupCommand(ctx))
  },
})
