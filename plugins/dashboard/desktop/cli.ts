/** The words of `svc desktop`; what they do is loaded when it is asked for. */
import type { CliCommand, PluginContext } from 'svc/sdk'

const json = { flags: '--json', description: 'Print JSON' }

export function desktopCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'desktop',
    description:
      'Opens svc in a window of its own, with a backend that it starts. A second start opens its page in the first one.',
    subcommands: [
      {
        name: 'stages',
        description: 'List the stages of the first start',
        options: [json],
        examples: ['desktop stages', 'desktop stages --json'],
        run: async ({ options }, io) =>
          (await import('./bootstrap/run-stage.ts')).listStages(io, options['json'] === true),
      },
      {
        name: 'stage',
        description: 'Run one stage of the first start again',
        arguments: '<name>',
        options: [json, { flags: '--non-interactive', description: 'Ask nothing: a stage that needs a person is skipped' }],
        examples: ['desktop stage path', 'desktop stage dependencies --json'],
        run: async (input, io) => (await import('./bootstrap/run-stage.ts')).runStage(ctx, input, io),
      },
    ],
  }
}
