/** Wires the service `ProcessSandbox`. */
import { homedir, tmpdir } from 'node:os'
import { definePlugin, Home, Secrets } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { ProcessSandbox } from 'svc/sdk/shell'
import { confinementCheck } from './health.ts'
import { lazyConfinement } from './service.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(ProcessSandbox, () => {
      const { root, dir } = ctx.use(Home)
      return lazyConfinement({
        machine: { home: homedir(), temporary: tmpdir(), svcHomes: [root, dir] },
        variable: (name) => ctx.use(Secrets).get(name),
        warn: (text) => ctx.log.warn(text),
      })
    })
    ctx.add(
      HealthChecks,
      confinementCheck(() => ctx.use(ProcessSandbox)),
    )
  },
})
