/** `svc export` and `svc import`: their options; the work is loaded when it is asked for. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export function createExportCommand(ctx: Context): CliCommand {
  return {
    name: 'export',
    description:
      'Writes settings, conversations, skills, memories, jobs and profiles to one file for another machine, also while svc runs. Keys are left out, and so are settings that name folders of this machine.',
    options: [
      { flags: '-o, --out <file>', description: 'The file (default: a dated one in this folder)' },
      { flags: '--only <part...>', description: 'Only this part, such as settings or skills; may be repeated' },
      { flags: '--sessions', description: 'Only the conversations: as --only sessions' },
      { flags: '--with-secrets', description: 'With keys; encrypts the file' },
      { flags: '--encrypt', description: 'Encrypt the file with a passphrase, in the format of age' },
      json,
    ],
    examples: ['export', 'export --sessions --out talks.tar.gz', 'export --with-secrets --out all.tar.gz.age'],
    run: async (input, io) => (await import('./export.ts')).runExport(ctx, input, io),
  }
}

export function createImportCommand(ctx: Context): CliCommand {
  return {
    name: 'import',
    description:
      'Takes over an export in one step. Its files replace those of the same name, after a question; others stay. A backup is made before, and svc backup restore --undo brings the home before back.',
    arguments: '<file>',
    options: [
      { flags: '--dry-run', description: 'Only say what would be replaced' },
      { flags: '--yes', description: 'Do not ask' },
      json,
    ],
    examples: ['import laptop.tar.gz', 'import laptop.tar.gz --dry-run'],
    run: async (input, io) => (await import('./import.ts')).runImport(ctx, input, io),
  }
}
