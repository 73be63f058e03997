/** `svc auth` and `svc login`: their subcommands, each in a file that is loaded when it runs. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'The result as JSON; keys are masked' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }

/** The command. */
export function authCommand(ctx: Context): CliCommand {
  return {
    name: 'auth',
    description: 'Manage API keys. With no subcommand, lists them.',
    options: [json],
    examples: ['auth add openai', 'auth add openai --label work < key.txt', 'auth list', 'auth test openai'],
    subcommands: [...createReadCommands(ctx), ...changing(ctx)],
    run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
  }
}

/** Does nothing but say where it went. */
export function loginCommand(): CliCommand {
  return {
    name: 'login',
    description: 'Replaced by `svc auth`; says so and does nothing.',
    arguments: '[words...]',
    options: [{ flags: '--provider <name>', description: 'Not used any more' }],
    examples: ['auth add anthropic'],
    run: async ({ args, options }, io) => {
      const provider = options['provider'] ?? args[0] ?? '<provider>'
      io.err(`svc login was removed. Use \`svc auth add ${String(provider)}\` instead; nothing was done.\n`)
      return 1
    },
  }
}

function createReadCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'list',
      description: 'List stored keys and their status',
      arguments: '[provider]',
      options: [json],
      examples: ['auth list', 'auth list openai --json'],
      run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
    },
    {
      name: 'status',
      description: 'Which providers can be used, with which key, and which one answers',
      arguments: '[provider]',
      options: [json],
      examples: ['auth status', 'auth status openai'],
      run: async (input, io) => (await import('./status.ts')).status(ctx, input, io),
    },
    {
      name: 'test',
      description: 'Check that a key works: list the models (free), or ask a question of a few tokens',
      arguments: '[provider]',
      options: [{ flags: '--model <id>', description: 'Ask this model a question; do not list the models' }, json],
      examples: ['auth test', 'auth test openai', 'auth test perplexity --model sonar'],
      run: async (input, io) => (await import('./status.ts')).testProvider(ctx, input, io),
    },
  ]
}

function changing(ctx: Context): CliCommand[] {
  return [
    {
      name: 'add',
      description: 'Store a key (typed at a hidden prompt, or read from standard input)',
      arguments: '<provider>',
      options: [
        { flags: '--label <text>', description: 'Label of the key' },
        { flags: '--flow <name>', description: 'Sign in this way instead of typing a key' },
        { flags: '--base-url <url>', description: 'Base URL to use with this key' },
        { flags: '--priority <number>', description: 'Lower comes first (default: behind all others)' },
        json,
      ],
      examples: ['auth add openai', 'auth add groq --label team < key.txt', 'auth add anthropic --flow oauth'],
      run: async (input, io) => (await import('./add.ts')).add(ctx, input, io),
    },
    {
      name: 'remove',
      description: 'Remove keys by ID or label (can be restored within a day)',
      arguments: '<provider> [keys...]',
      options: [yes, json],
      examples: ['auth remove openai 1f0c9a', 'auth remove openai work --yes'],
      run: async (input, io) => (await import('./remove.ts')).remove(ctx, input, io),
    },
    {
      name: 'logout',
      description: 'Take all keys and sign-ins of a provider out',
      arguments: '<provider>',
      options: [yes, json],
      examples: ['auth logout anthropic'],
      run: async (input, io) => (await import('./remove.ts')).logout(ctx, input, io),
    },
    {
      name: 'restore',
      description: 'Bring back keys that were removed within the last day',
      arguments: '<ids...>',
      options: [json],
      examples: ['auth restore 1f0c9a'],
      run: async (input, io) => (await import('./remove.ts')).restore(ctx, input, io),
    },
    {
      name: 'reset',
      description: 'Re-enable keys that are cooling down or were disabled',
      arguments: '<provider>',
      options: [json],
      examples: ['auth reset openai'],
      run: async (input, io) => (await import('./remove.ts')).reset(ctx, input, io),
    },
  ]
}
