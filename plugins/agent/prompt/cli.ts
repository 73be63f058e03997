/** `svc prompt-size` and `svc prompt`: their options. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'
import type { Config } from './config.ts'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export function sizeCommand(ctx: PluginContext<Config>): CliCommand {
  return {
    name: 'prompt-size',
    description: 'Show the size of the system prompt and the tools in each request, part by part. Calls no model.',
    options: [{ flags: '--platform <name>', description: 'As seen from this platform (default cli)' }, json],
    examples: ['prompt-size', 'prompt-size --json'],
    run: async (input, io) => (await import('./size.ts')).showSize(ctx, input, io),
  }
}

export function promptCommand(ctx: PluginContext<Config>): CliCommand {
  return {
    name: 'prompt',
    description: 'Looks at the system prompts of sessions, and at the project notes in them.',
    subcommands: [
      {
        name: 'trust',
        description: 'Agree to the project notes of a folder as they are now; they are printed',
        arguments: '[folder]',
        options: [json],
        examples: ['prompt trust', 'prompt trust ~/project'],
        run: async (input, io) => (await import('./trust-cli.ts')).trustNotes(ctx, input, io),
      },
      {
        name: 'diff',
        description: 'Compare the system prompts of two sessions, with the plugin of each difference',
        arguments: '<a> <b>',
        options: [json],
        examples: ['prompt diff SESSION-A SESSION-B'],
        run: async (input, io) => (await import('./prompt-diff.ts')).showDifference(ctx, input, io),
      },
    ],
  }
}
