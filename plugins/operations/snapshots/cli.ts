/** `svc snapshot`: its subcommands and their options; what they do is loaded when it is asked for. */
import type { CliCommand, CliOption } from 'svc/sdk'
import type { Snapshots } from 'svc/sdk/operations'

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '--yes', description: 'Do not ask' }

export function createSnapshotCommand(bring: () => Promise<Snapshots>): CliCommand {
  const load = async () => {
    const commands = await import('./commands.ts')
    return commands.createCommands(await bring())
  }
  const list: CliCommand = {
    name: 'list',
    description: 'The snapshots of this home, the newest first',
    options: [json],
    examples: ['snapshot list --json'],
    run: async (input, io) => (await load()).list(input, io),
  }
  return {
    ...list,
    name: 'snapshot',
    description:
      'A snapshot is the state of the home in one file: settings, keys, memories and databases, without skills, plugins and media. Without a command: the list.',
    subcommands: [
      list,
      {
        name: 'create',
        description: 'Take a snapshot, also while svc runs',
        arguments: '[label...]',
        options: [json],
        examples: ['snapshot create before the experiment'],
        run: async (input, io) => (await load()).create(input, io),
      },
      {
        name: 'restore',
        description: 'Bring the state of a snapshot back; the present state is in another snapshot then',
        arguments: '<snapshot>',
        options: [yes, json],
        examples: ['snapshot restore 1', 'snapshot restore 2026-01-01-090000'],
        run: async (input, io) => (await load()).restore(input, io),
      },
      {
        name: 'prune',
        description: 'Remove all snapshots but the newest',
        arguments: '[count]',
        options: [yes, json],
        examples: ['snapshot prune 5'],
        run: async (input, io) => (await load()).prune(input, io),
      },
    ],
  }
}
