/** Wires the service `Confinement`. */
import { homedir, tmpdir } from 'node:os'
import { Confinement, definePlugin, HealthChecks, Home, Secrets } from 'svc/sdk'
import { confinementCheck } from './health.ts'
import { lazyConfinement } from './service.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(Confinement, () => {
      const { root, dir } = ctx.use(Home)
      return lazyConfinement({
        machine: { home: homedir(), temporary: tmpdir(), svcHomes: [root, dir] },
        variable: (name) => ctx.use(Secrets).get(name),
        warn: (text) => ctx.log.warn(text),
      })
    })
    ctx.add(
      HealthChecks,
      confinementCheck(() => ctx.use(Confinement)),
    )
  },
})
