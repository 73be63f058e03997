/** The words of `svc dashboard` and `svc serve`; what they do is loaded when it is asked for. */
import type { CliCommand, PluginContext } from 'svc/sdk'
import type { Config } from './config.ts'

type Context = PluginContext<Config>

const shared = [
  { flags: '--host <address>', description: 'Address to listen on (dashboard.server.host)' },
  { flags: '--port <number>', description: 'Port to listen on; 0 takes a free one (dashboard.server.port)' },
  { flags: '--isolated', description: 'Start another one, in this process, although one runs for this SVC_HOME' },
  { flags: '--status', description: 'Show what runs, and where' },
  { flags: '--stop', description: 'Stop what runs' },
  { flags: '--json', description: 'With --status or --stop: as JSON' },
]

export function dashboardCommand(ctx: Context): CliCommand {
  return {
    name: 'dashboard',
    description:
      'Opens the web UI in a browser. A gateway that runs serves it; without one this command does, until Ctrl-C. One that runs already is opened instead.',
    options: [...shared, { flags: '--no-open', description: 'Open no browser' }],
    examples: ['dashboard', 'dashboard --no-open --port 8080', 'dashboard --status', 'dashboard --stop'],
    run: async (input, io) => (await import('./run.ts')).run(ctx, input, io, 'dashboard'),
  }
}

export function serveCommand(ctx: Context): CliCommand {
  return {
    name: 'serve',
    description: 'Serves the interface of the dashboard until Ctrl-C, without pages: for desktop apps and programs.',
    options: shared,
    examples: ['serve --port 0', 'serve --status --json'],
    run: async (input, io) => (await import('./run.ts')).run(ctx, input, io, 'serve'),
  }
}
