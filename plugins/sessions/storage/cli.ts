/** `svc storage`: its subcommands and their options. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export function storageCommand(ctx: PluginContext<undefined>): CliCommand {
  const list: CliCommand = {
    name: 'list',
    description: 'The databases, their sizes and backups, and which are older than when svc last used them',
    options: [json],
    run: async (input, io) => (await import('./databases.ts')).list(ctx, input, io),
  }
  return {
    ...list,
    name: 'storage',
    description:
      'Shows the databases. Restores or accepts one that is older than its backup. Without a command: the list.',
    examples: ['storage', 'storage restore', 'storage accept data/sessions/sessions.db'],
    subcommands: [
      list,
      {
        name: 'restore',
        description: 'Continue with the newer backup; the older file is kept aside. Without files: all that are older',
        arguments: '[files...]',
        options: [json],
        run: async (input, io) => (await import('./databases.ts')).restore(ctx, input, io),
      },
      {
        name: 'accept',
        description: 'Continue with the older file; a newer backup is kept aside. Without files: all that are older',
        arguments: '[files...]',
        options: [json],
        run: async (input, io) => (await import('./databases.ts')).accept(ctx, input, io),
      },
    ],
  }
}
