/** Wires the terminal backend `ssh`. */
import { join } from 'node:path'
import { Clock, definePlugin, Secrets } from 'svc/sdk'
import { type ShellBackend, ShellBackends } from 'svc/sdk/shell'
import { type SshDeps, sshTarget } from './target.ts'

export default definePlugin({
  setup(ctx) {
    const host: SshDeps = {
      clock: () => ctx.use(Clock),
      variable: (name) => ctx.use(Secrets).get(name),
      knownHosts: join(ctx.dataDir, 'known_hosts'),
    }
    const backend: ShellBackend = {
      name: 'ssh',
      elsewhere: true,
      isolated: () => false,
      status: async ({ settings }) => {
        const target = sshTarget(settings, host.variable)
        return target === undefined
          ? { ready: false, detail: 'neither terminal.ssh_host nor TERMINAL_SSH_HOST is set' }
          : { ready: true, detail: `commands run on ${target.destination}` }
      },
      open: async (place, signal) => (await import('./connection.ts')).connect(place, host, signal),
    }
    ctx.add(ShellBackends, backend)
  },
})
