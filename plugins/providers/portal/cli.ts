/** `svc portal status` and `svc portal tools`. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export function portalCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'portal',
    description: 'Show the subscription to the Nous Portal. With no subcommand, its status.',
    options: [json],
    examples: ['portal status', 'portal tools --json'],
    subcommands: [
      {
        name: 'status',
        description: 'Who is signed in, until when, and whether it answers in chat',
        options: [json],
        examples: ['portal status', 'portal status --json'],
        run: async (input, io) => (await import('./show.ts')).showStatus(ctx, input, io),
      },
      {
        name: 'tools',
        description: 'Which work runs on the subscription, and which elsewhere',
        options: [json],
        examples: ['portal tools'],
        run: async (input, io) => (await import('./show.ts')).showTools(ctx, input, io),
      },
    ],
    run: async (input, io) => (await import('./show.ts')).showStatus(ctx, input, io),
  }
}
