/** Wires the WebSocket `/api/pty`. Terminals stay open while the plugin is reloaded. */
import { Clock, definePlugin, Home, type PluginContext, Secrets } from 'svc/sdk'
import { DashboardSockets } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { type Config, config } from './config.ts'
import type { LaunchDeps } from './launch.ts'
import type { Terminals } from './terminals.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const opened = ctx.keep<{ terminals?: Promise<Terminals> }>(
      'terminals',
      () => ({}),
      async ({ terminals }) => (await terminals)?.close(),
    )
    ctx.add(DashboardSockets, {
      path: '/api/pty',
      summary: 'The terminal UI, or a shell where the user allows it: output is binary, keystrokes are text or binary',
      maxBytes: 1_048_576,
      isBinary: true,
      handle: async (socket) => {
        const [{ createLaunch }, { serveTerminal }, { Terminals }] = await Promise.all([
          import('./launch.ts'),
          import('./socket.ts'),
          import('./terminals.ts'),
        ])
        opened.terminals ??= Promise.resolve(new Terminals({ clock: ctx.use(Clock), log: ctx.log }))
        await serveTerminal(socket, {
          terminals: await opened.terminals,
          log: ctx.log,
          allowsShell: ctx.config.shell,
          launch: (query) => createLaunch(query, launchDeps(ctx)),
        })
      },
    })
  },
})

const SECRET_NAME = /(^|_)(KEY|SECRET|PASSWORD|TOKEN|CREDENTIALS?)$/i

function launchDeps(ctx: PluginContext<Config>): LaunchDeps {
  const manifests = ctx.use(Plugins).list()
  const named = ctx.use(Secrets).get('SVC_BIN')
  return {
    program: named ? [named] : [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    profile: ctx.use(Home).profile ?? 'default',
    cwd: process.cwd(),
    environment: process.env,
    isSecret: (name) =>
      SECRET_NAME.test(name) ||
      manifests.some(({ manifest }) => manifest.env?.some((each) => each.name === name && each.secret)),
  }
}
