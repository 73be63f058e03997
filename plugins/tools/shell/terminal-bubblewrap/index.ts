/** Wires the terminal backend `bubblewrap`. */
import { definePlugin, Home } from 'svc/sdk'
import { type ShellBackend, ShellBackends } from 'svc/sdk/shell'

export default definePlugin({
  setup(ctx) {
    const backend: ShellBackend = {
      name: 'bubblewrap',
      // The folder it works in is the user's own.
      isolated: () => false,
      status: async (place) => (await import('./sandbox.ts')).sandboxStatus(place, ctx.use(Home).root),
      open: async (place) => (await import('./sandbox.ts')).openSandbox(place, ctx.use(Home).root),
    }
    ctx.add(ShellBackends, backend)
  },
})
