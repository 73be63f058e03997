/** Wires the terminal backends `docker` and `podman`. */
import { Clock, definePlugin, Random, Secrets } from 'svc/sdk'
import { ShellBackends } from 'svc/sdk/shell'
import { containerBackend } from './backend.ts'

export default definePlugin({
  setup(ctx) {
    const host = {
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      log: ctx.log,
      dataDir: ctx.dataDir,
      variable: (name: string) => ctx.use(Secrets).get(name),
    }
    for (const program of ['docker', 'podman'] as const) ctx.add(ShellBackends, containerBackend(program, host))
  },
})
