/** The words of `svc desktop`; what they do is loaded when it is asked for. */
import type { CliCommand, PluginContext } from 'svc/sdk'

const json = { flags: '--json', description: 'Print JSON' }

export function desktopCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'desktop',
    description:
      'Opens svc in a window of its own, with a backend that it starts. A second start opens its page in the first one.',
    arguments: '[link]',
    options: [
      { flags: '--cwd <folder>', description: 'Where sessions work (SVC_DESKTOP_CWD, or your home folder)' },
      { flags: '--ignore-existing', description: 'Do not use an svc that is on the path or was set up before' },
      { flags: '--no-window', description: 'Prepare and start the backend only, and print its address' },
      { flags: '--status', description: 'Show whether a desktop runs' },
      { flags: '--reset', description: 'Clear a failure of the desktop that runs, and try again' },
      { flags: '--repair', description: 'Run all stages of the first start again' },
      { flags: '--quit', description: 'End the desktop that runs' },
      { ...json, description: 'With --status, --reset, --repair, --quit: print JSON' },
    ],
    examples: ['desktop', 'desktop svc://sessions', 'desktop --status --json', 'desktop --no-window'],
    run: async (input, io) => (await import('./run.ts')).run(ctx, input, io),
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
        options: [
          json,
          { flags: '--non-interactive', description: 'Ask nothing: a stage that needs a person is skipped' },
        ],
        examples: ['desktop stage path', 'desktop stage dependencies --json'],
        run: async (input, io) => (await import('./bootstrap/run-stage.ts')).runStage(ctx, input, io),
      },
      {
        name: 'register',
        description: 'Have the system open svc:// links with svc, for this user',
        examples: ['desktop register'],
        run: async (_, io) => (await import('./link-registration.ts')).register(ctx, io),
      },
      {
        name: 'unregister',
        description: 'Take it back that svc:// links open svc',
        examples: ['desktop unregister'],
        run: async (_, io) => (await import('./link-registration.ts')).unregister(ctx, io),
      },
    ],
  }
}
