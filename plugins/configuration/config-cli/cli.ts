/** The shell command `svc config`. What its subcommands need is imported when they run. */
import { type CliCommand, type CliOption, Config, Home, type PluginContext } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { toJson } from './output.ts'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'Print JSON' }

/** The command with its subcommands; alone it shows what is set. */
export function configCommand(ctx: Context): CliCommand {
  const options = [
    { flags: '--defaults', description: 'Include defaults, with descriptions' },
    { flags: '--origin', description: 'Each value with the file it comes from' },
    json,
  ]
  const run: NonNullable<CliCommand['run']> = async (input, io) => (await import('./show.ts')).show(ctx, input, io)
  return {
    name: 'config',
    description: 'Show, change, check and repair the configuration',
    options,
    run,
    examples: ['config set model.default my-model', 'config show --defaults', 'config check', 'config undo'],
    subcommands: [
      {
        name: 'show',
        description: 'Show what is set, secrets masked',
        options,
        examples: ['config show --defaults', 'config show --origin'],
        run,
      },
      pathCommand(ctx),
      ...valueCommands(ctx),
      ...fileCommands(ctx),
      ...changeCommands(ctx),
    ],
  }
}

function pathCommand(ctx: Context): CliCommand {
  return {
    name: 'path',
    description: 'Print where config.yaml is; with --json also .env',
    options: [json],
    examples: ['config path'],
    run: async ({ options }, io) => {
      const [config, env] = [ctx.use(Config).file, ctx.use(Home).path('.env')]
      io.out(options['json'] === true ? toJson({ config, env }) : `${config}\n`)
    },
  }
}

function valueCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'get',
      description: 'Print one value; exit code 1 when it is not set',
      arguments: '<key>',
      options: [json],
      examples: ['config get model.default'],
      run: async (input, io) => (await import('./values.ts')).get(ctx, input, io),
    },
    {
      name: 'set',
      description: 'Set one value; secrets go to .env, without a value they are asked for',
      arguments: '<key> [value]',
      options: [{ flags: '--force', description: 'Write it although no plugin reads it' }, json],
      examples: [
        'config set model.provider openai',
        'config set plugins.disabled "[kanban, cron]"',
        'config set OPENAI_API_KEY',
        'config set a."key.with.dots".0 -- -5',
      ],
      run: async (input, io) => (await import('./values.ts')).set(ctx, input, io),
    },
    {
      name: 'unset',
      description: 'Remove one value, so that its default applies',
      arguments: '<key>',
      options: [json],
      examples: ['config unset model.default'],
      run: async (input, io) => (await import('./values.ts')).unset(ctx, input, io),
    },
  ]
}

function fileCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'edit',
      description: 'Open config.yaml in $VISUAL or $EDITOR; a broken edit is not taken',
      examples: ['config edit'],
      run: async (_input, io) => (await import('./edit.ts')).edit(ctx, io),
    },
    {
      name: 'check',
      description: 'Find errors, unknown keys, missing variables; exit code 1 on errors',
      options: [json],
      examples: ['config check'],
      run: async (input, io) => (await import('./check.ts')).check(ctx, input, io),
    },
    {
      name: 'restore',
      description: 'Put the last good config.yaml back when it is gone, empty, cut off or broken',
      options: [json],
      examples: ['config restore'],
      run: async (input, io) => (await import('./changes.ts')).restore(ctx, input, io),
    },
    {
      name: 'accept',
      description: 'Keep config.yaml as it is, although it has less in it than before',
      examples: ['config accept'],
      run: async (_input, io) => {
        await ctx.use(ConfigFile).accept()
        io.out(`${ctx.use(Config).file} holds as it is from now on.\n`)
        return 0
      },
    },
    {
      name: 'migrate',
      description: 'Bring config.yaml to the newest version; keeps a backup',
      options: [json],
      examples: ['config migrate'],
      run: async (input, io) => (await import('./migrate.ts')).migrate(ctx, input, io),
    },
  ]
}

function changeCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'diff',
      description: 'Show what differs from the defaults, or one change by its number',
      arguments: '[change]',
      options: [json],
      examples: ['config diff', 'config diff 12'],
      run: async (input, io) => {
        if (input.args[0] === undefined) return (await import('./show.ts')).diffFromDefaults(ctx, input, io)
        return (await import('./changes.ts')).diffOfChange(ctx, input, io)
      },
    },
    {
      name: 'undo',
      description: 'Take back the last change, or one by its number',
      arguments: '[change]',
      options: [{ flags: '--list', description: 'List the changes instead, newest first' }, json],
      examples: ['config undo', 'config undo --list', 'config undo 12'],
      run: async (input, io) => (await import('./changes.ts')).undo(ctx, input, io),
    },
  ]
}
