/** `svc update`: its options; the work is loaded when it is asked for. */
import type { CliCommand, PluginContext } from 'svc/sdk'

export function createUpdateCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'update',
    description:
      'Installs the newest version next to this one, tries it, and switches to it in one step. An installation that belongs to a package manager or a container is not changed: the command to run instead is printed.',
    options: [
      { flags: '--check', description: 'Only say whether there is a newer version' },
      { flags: '--branch <name>', description: 'Of a git checkout: this branch; of npm: this dist-tag' },
      { flags: '--rollback', description: 'Go back to the version before; the next rollback returns' },
      { flags: '--no-backup', description: 'Make no backup of the home before the switch' },
      { flags: '--yes', description: 'Do not ask' },
      { flags: '--json', description: 'The result as JSON' },
    ],
    examples: ['update', 'update --check --json', 'update --rollback'],
    run: async (input, io) => (await import('./commands.ts')).run(ctx, input, io),
  }
}
