/** `svc sessions`: its subcommands and their options. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }
const filters: readonly CliOption[] = [
  { flags: '--surface <name>', description: 'Only conversations from this surface: cli, api, or a platform name' },
  { flags: '--cwd <path>', description: 'Held in this folder' },
  { flags: '--older-than <age>', description: 'Last used before: 5h, 2d, 1w, a number of days, or a date' },
  { flags: '--newer-than <age>', description: 'Last used since then' },
  { flags: '--title <text>', description: 'Only sessions with this text in the title' },
]
const limit = (description: string): CliOption => ({ flags: '--limit <count>', description })

export function sessionsCommand(ctx: Context): CliCommand {
  const list = listing(ctx)
  return {
    name: 'sessions',
    description: 'List, search, export, branch and remove conversations. With no subcommand, lists them.',
    options: list.options ?? [],
    examples: [
      'sessions',
      'sessions search "the build"',
      'sessions export --format html --output talks.html',
      'sessions prune --older-than 90d --dry-run',
    ],
    subcommands: [list, ...createReadCommands(ctx), ...changing(ctx), ...moving(ctx), ...removing(ctx)],
    run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
  }
}

function listing(ctx: Context): CliCommand {
  return {
    name: 'list',
    description: 'The conversations used last',
    options: [...filters, limit('Maximum number to show (default 20)'), json],
    examples: ['sessions list --newer-than 1w', 'sessions list --cwd . --json'],
    run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
  }
}

function createReadCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'show',
      description: 'One conversation, message by message',
      arguments: '<id>',
      options: [
        limit('Only the last so many messages'),
        { flags: '--events', description: 'The journal instead: every event with its number' },
        json,
      ],
      examples: ['sessions show 20260314_0926', 'sessions show ID --limit 4'],
      run: async (input, io) => (await import('./show.ts')).show(ctx, input, io),
    },
    {
      name: 'search',
      description: 'Messages with all of these words, or parts of words; the newest first',
      arguments: '<words...>',
      options: [
        ...filters,
        { flags: '--role <role>', description: 'Said by user, assistant, tool or system' },
        limit('Maximum number of hits (default 20)'),
        json,
      ],
      examples: ['sessions search docker timeout', 'sessions search \'"exit code 137"\' --newer-than 2w'],
      run: async (input, io) => (await import('./search.ts')).search(ctx, input, io),
    },
    {
      name: 'tree',
      description: 'Show the branches of a conversation and its labels as a tree',
      arguments: '[id]',
      options: [json],
      examples: ['sessions tree', 'sessions tree 20260314_0926 --json'],
      run: async (input, io) => (await import('./tree.ts')).tree(ctx, input, io),
    },
    {
      name: 'stats',
      description: 'Conversation statistics: counts, platforms, disk use',
      options: [json],
      run: async (input, io) => (await import('./stats.ts')).stats(ctx, input, io),
    },
  ]
}

function changing(ctx: Context): CliCommand[] {
  return [
    {
      name: 'resume',
      description: 'Open a conversation again; without a terminal, print the command that does',
      arguments: '<id>',
      options: [json],
      run: async (input, io) => (await import('./change.ts')).resume(ctx, input, io),
    },
    {
      name: 'rename',
      description: 'Give a conversation another title',
      arguments: '<id> <title...>',
      options: [json],
      examples: ['sessions rename 20260314 the great cleanup'],
      run: async (input, io) => (await import('./change.ts')).rename(ctx, input, io),
    },
    {
      name: 'label',
      description: 'Label a message of a conversation, or remove its label',
      arguments: '<id> [text...]',
      options: [
        { flags: '--at <number>', description: 'The message, by its number in `show` (default: the last one)' },
        json,
      ],
      examples: ['sessions label 20260314 before the refactor', 'sessions label 20260314 --at 6'],
      run: async (input, io) => (await import('./tree.ts')).label(ctx, input, io),
    },
    {
      name: 'branch',
      description: 'A new conversation that begins like this one, which stays as it is',
      arguments: '<id>',
      options: [
        { flags: '--up-to <count>', description: 'Take only the first so many messages' },
        { flags: '--at <point>', description: 'Begin at a message, by its number in `show` or its label' },
        json,
      ],
      examples: ['sessions branch 20260314 --up-to 6', 'sessions branch 20260314 --at "before the refactor"'],
      run: async (input, io) => (await import('./change.ts')).branch(ctx, input, io),
    },
  ]
}

function moving(ctx: Context): CliCommand[] {
  return [
    {
      name: 'export',
      description: 'Export the named conversations, or all that match the filters',
      arguments: '[ids...]',
      options: [
        { flags: '--format <format>', description: 'jsonl (default, complete), openai, md or html' },
        { flags: '--output <file>', description: 'A new file to write; otherwise standard output' },
        ...filters,
        limit('Maximum number to export, most recently used first'),
      ],
      examples: ['sessions export --output all.jsonl', 'sessions export ID --format md'],
      run: async (input, io) => (await import('./export.ts')).exportTo(ctx, input, io),
    },
    {
      name: 'import',
      description: 'Bring back conversations from a jsonl export; those that are there already stay as they are',
      arguments: '<file>',
      options: [json],
      examples: ['sessions import all.jsonl'],
      run: async (input, io) => (await import('./import.ts')).importFrom(ctx, input, io),
    },
  ]
}

function removing(ctx: Context): CliCommand[] {
  return [
    {
      name: 'delete',
      description: 'Remove conversations; a copy goes to the trash first',
      arguments: '<ids...>',
      options: [yes, json],
      run: async (input, io) => (await import('./remove.ts')).remove(ctx, input, io),
    },
    {
      name: 'prune',
      description: 'Remove old conversations; a copy goes to the trash first',
      options: [
        ...filters.map((option) =>
          option.flags.startsWith('--older-than')
            ? { ...option, description: `${option.description} (default 90d)` }
            : option,
        ),
        { flags: '--dry-run', description: 'Only show what would be removed' },
        yes,
        json,
      ],
      examples: [
        'sessions prune --older-than 90d --dry-run',
        'sessions prune --surface telegram --older-than 2w --yes',
      ],
      run: async (input, io) => (await import('./remove.ts')).prune(ctx, input, io),
    },
    {
      name: 'compact',
      description: 'Give back the disk space of what was removed; others wait while the file is rewritten',
      options: [json],
      run: async (input, io) => (await import('./compact.ts')).compact(ctx, input, io),
    },
  ]
}
