/** `svc uninstall`: its options; the work is loaded when it is asked for. */
import type { CliCommand, PluginContext } from 'svc/sdk'

export function createUninstallCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'uninstall',
    description:
      'Removes what svc put on this machine: services, completion in shells, commands of profiles, and the program by the way it was installed. Settings, keys and conversations stay, unless --purge removes them.',
    options: [
      { flags: '--keep-data', description: 'Keep the data (the default)' },
      { flags: '--purge', description: 'Remove the data of all profiles, too; a backup is made before' },
      { flags: '--no-backup', description: 'With --purge: make no backup' },
      { flags: '--dry-run', description: 'Only say what would be done' },
      { flags: '--yes', description: 'Do not ask' },
      { flags: '--json', description: 'The result as JSON' },
    ],
    examples: ['uninstall --dry-run', 'uninstall', 'uninstall --purge'],
    run: async (input, io) => (await import('./commands.ts')).uninstall(ctx, input, io),
  }
}
