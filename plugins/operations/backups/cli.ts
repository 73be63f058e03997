/** `svc backup`: its subcommands and their options; what they do is loaded when it is asked for. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export function createBackupCommand(ctx: Context): CliCommand {
  const list: CliCommand = {
    name: 'list',
    description: 'The backups in the folder of backups, the newest first',
    options: [json],
    examples: ['backup list --json'],
    run: async (input, io) => (await import('./commands.ts')).list(ctx, input, io),
  }
  return {
    ...list,
    name: 'backup',
    description:
      'A backup is one file with all of the home: settings, keys, conversations, skills and plugins. Without a command: the list.',
    subcommands: [
      {
        name: 'create',
        description: 'Back up the home, also while svc runs. With -p, of that profile only',
        options: [
          { flags: '-o, --output <file>', description: 'The file (default: a dated one in the folder of backups)' },
          {
            flags: '--encrypt',
            description: 'Encrypt it with a passphrase, in the format of age (age-encryption.org)',
          },
          json,
        ],
        examples: ['backup create', 'backup create --encrypt --output /media/disk/svc.tar.gz.age'],
        run: async (input, io) => (await import('./commands.ts')).create(ctx, input, io),
      },
      list,
      {
        name: 'verify',
        description: 'Read all of a backup and compare every file with its hash',
        arguments: '<file>',
        options: [json],
        examples: ['backup verify svc-2026-01-01-090000.tar.gz'],
        run: async (input, io) => (await import('./commands.ts')).verify(ctx, input, io),
      },
      {
        name: 'restore',
        description: 'Put the home of a backup in the place of the present one, which stays and can be brought back',
        arguments: '[file]',
        options: [
          { flags: '--to <folder>', description: 'Into this new folder; the home stays as it is' },
          { flags: '--undo', description: 'Bring back the home that the last restore replaced' },
          { flags: '--yes', description: 'Do not ask' },
          json,
        ],
        examples: ['backup restore svc-2026-01-01-090000.tar.gz', 'backup restore --undo'],
        run: async (input, io) => (await import('./commands.ts')).restore(ctx, input, io),
      },
    ],
  }
}
