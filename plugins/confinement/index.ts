/** Wires the service `Confinement`. */
import { homedir, tmpdir } from 'node:os'
import { Confinement, definePlugin, Home, Secrets } from 'svc/sdk'
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
  },
})
