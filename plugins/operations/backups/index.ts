import { CliCommands, Clock, createTranslator, definePlugin, Home, Random, SlashCommands } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { BackupRules, Backups } from 'svc/sdk/operations'
import { createBackupCommand } from './cli.ts'
import { homeRule } from './contents.ts'
import { listBackups, proposeFile } from './places.ts'
import { createSnapshotCommand } from './snapshots/cli.ts'
import { createSnapshotSlash, type Pending } from './snapshots/slash.ts'

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
    const snapshotDeps = () => ({ ...deps(), personal: listPersonal(ctx.use(Plugins)) })
    const openExports = async () => (await import('./exports.ts')).createExports(ctx, deps())
    ctx.provide(Backups, () => ({
      create: async (options) => (await import('./create.ts')).createBackup(deps(), options),
      list: async () => listBackups(ctx.use(Home)),
      propose: ({ isEncrypted = false, profile = ctx.use(Home).profile } = {}) =>
        proposeFile(ctx.use(Home), profile, ctx.use(Clock).now(), isEncrypted),
      describe: async (source) => (await openExports()).describe(source),
      export: async (what) => (await openExports()).export(what),
      readExport: async (source) => (await openExports()).readExport(source),
      import: async (source) => (await openExports()).import(source),
    }))
    ctx.add(BackupRules, homeRule)
    ctx.add(CliCommands, createBackupCommand(ctx))
    ctx.add(CliCommands, createSnapshotCommand(ctx, snapshotDeps))
    const pending = ctx.keep('pending-restore', (): Pending => ({ id: undefined, isListening: false }))
    ctx.add(SlashCommands, createSnapshotSlash(ctx, { deps: snapshotDeps, pending, t: createTranslator(ctx) }))
  },
})

/** What plugins say of their files in the home: of the user, or with keys. */
function listPersonal(plugins: Plugins): readonly string[] {
  return plugins
    .list()
    .flatMap(({ manifest: { portable } }) => [...(portable?.personal ?? []), ...(portable?.secrets ?? [])])
}
