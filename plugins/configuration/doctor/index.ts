import { CliCommands, Clock, Config, definePlugin, Home } from 'svc/sdk'
import { ConfigFile, Health, HealthChecks, Plugins } from 'svc/sdk/host'
import { clockCheck, configCheck, diskCheck, pluginsCheck } from './checks.ts'
import { doctorCommand } from './cli.ts'
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
      doctorCommand(() => ctx.use(Health)),
    )
    ctx.add(
      HealthChecks,
      configCheck({ config: () => ctx.use(Config), file: () => ctx.use(Plugins).bring(ConfigFile) }),
    )
    ctx.add(HealthChecks, pluginsCheck({ plugins: () => ctx.use(Plugins), config: () => ctx.use(Config) }))
    ctx.add(HealthChecks, clockCheck({ clock: () => ctx.use(Clock), home: () => ctx.use(Home) }))
    ctx.add(
      HealthChecks,
      diskCheck(() => ctx.use(Home)),
    )
  },
})
