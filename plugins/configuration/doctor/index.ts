import { CliCommands, Clock, Config, definePlugin, Home, Random } from 'svc/sdk'
import { ConfigFile, Health, HealthChecks, Plugins } from 'svc/sdk/host'
import { clockCheck, configCheck, diskCheck, pluginsCheck } from './checks.ts'
import { doctorCommand } from './cli.ts'
import { homeCheck } from './home-check.ts'
import { runChecks } from './run.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(Health, () => ({
      run: (signal) => {
        const checks = ctx.all(HealthChecks)
        const owner = (check: string) => checks.owner(check)
        return runChecks(checks.all(), { clock: ctx.use(Clock), signal, log: ctx.log, owner })
      },
    }))
    ctx.add(
      CliCommands,
      doctorCommand({
        health: () => ctx.use(Health),
        repair: async (reports) => {
          const deps = { home: ctx.use(Home), clock: ctx.use(Clock), random: ctx.use(Random), log: ctx.log }
          return (await import('./repair.ts')).repairAll(reports, deps)
        },
      }),
    )
    ctx.add(
      HealthChecks,
      configCheck({ config: () => ctx.use(Config), file: () => ctx.use(Plugins).bring(ConfigFile) }),
    )
    const plugins = { plugins: () => ctx.use(Plugins), config: () => ctx.use(Config) }
    ctx.add(HealthChecks, pluginsCheck({ ...plugins, file: () => ctx.use(Plugins).bring(ConfigFile) }))
    ctx.add(HealthChecks, homeCheck({ clock: () => ctx.use(Clock), home: () => ctx.use(Home) }))
    ctx.add(HealthChecks, clockCheck({ clock: () => ctx.use(Clock), home: () => ctx.use(Home) }))
    ctx.add(
      HealthChecks,
      diskCheck(() => ctx.use(Home)),
    )
  },
})
