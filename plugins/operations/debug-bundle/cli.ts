/** `svc debug`: its subcommands and options; the work is loaded when it is asked for. */
import type { CliCommand, PluginContext } from 'svc/sdk'

export function createDebugCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'debug',
    description: 'Helps with reports about svc that does not work.',
    subcommands: [
      {
        name: 'share',
        description:
          'Write a zip file for a bug report: versions, findings of svc doctor, plugins, settings, the ends of the logs, schema versions of databases. Keys, conversations, memories and file contents are not in it. Nothing is sent.',
        options: [
          { flags: '-o, --out <file>', description: 'The file (default: a dated one in this folder)' },
          { flags: '-n, --lines <count>', description: 'Entries of each log (default: 200, at most 2000)' },
          { flags: '--json', description: 'The result as JSON' },
        ],
        examples: ['debug share', 'debug share --out report.zip --lines 1000'],
        run: async (input, io) => (await import('./share.ts')).share(ctx, input, io),
      },
      {
        name: 'show',
        description: 'Print what would be in the bundle, without writing a file',
        options: [{ flags: '-n, --lines <count>', description: 'Entries of each log (default: 200, at most 2000)' }],
        examples: ['debug show --lines 50'],
        run: async (input, io) => (await import('./share.ts')).show(ctx, input, io),
      },
    ],
  }
}
