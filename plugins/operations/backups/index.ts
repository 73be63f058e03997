import { CliCommands, Clock, definePlugin, Home, Random } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { BackupRules, Backups, Snapshots } from 'svc/sdk/operations'
import { createBackupCommand } from './cli.ts'
import { homeRule } from './contents.ts'
import { listBackups, proposeFile } from './places.ts'

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
      list: async () => listBackups(ctx.use(Home)),
      propose: ({ isEncrypted = false, profile = ctx.use(Home).profile } = {}) =>
        proposeFile(ctx.use(Home), profile, ctx.use(Clock).now(), isEncrypted),
      describe: async (source) => (await openExports()).describe(source),
      export: async (what) => (await openExports()).export(what),
      readExport: async (source) => (await openExports()).readExport(source),
      import: async (source) => (await openExports()).import(source),
    }))
    const openSnapshots = async () =>
      (await import('./snapshots/service.ts')).createSnapshots(ctx, {
        ...deps(),
        personal: listPersonal(ctx.use(Plugins)),
      })
    ctx.provide(Snapshots, () => ({
      list: async (signal) => (await openSnapshots()).list(signal),
      find: async (which, signal) => (await openSnapshots()).find(which, signal),
      create: async (label, signal) => (await openSnapshots()).create(label, signal),
      check: async (snapshot, signal) => (await openSnapshots()).check(snapshot, signal),
      restore: async (snapshot, signal) => (await openSnapshots()).restore(snapshot, signal),
      prune: async (keep) => (await openSnapshots()).prune(keep),
    }))
    ctx.add(BackupRules, homeRule)
    ctx.add(CliCommands, createBackupCommand(ctx))
  },
})

/** What plugins say of their files in the home: of the user, or with keys. */
function listPersonal(plugins: Plugins): readonly string[] {
  return plugins
    .list()
    .flatMap(({ manifest: { portable } }) => [...(portable?.personal ?? []), ...(portable?.secrets ?? [])])
}
