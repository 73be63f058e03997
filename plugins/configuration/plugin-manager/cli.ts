/** `svc plugins`: its subcommands and their options. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'
import { createVersionCommands } from './cli-versions.ts'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }
const all: CliOption = { flags: '--all', description: 'Include inactive built-in plugins' }

export function pluginsCommand(ctx: Context): CliCommand {
  return {
    name: 'plugins',
    description: 'Shows, switches, installs, checks and makes plugins. Without a command: the list.',
    options: [all, json],
    examples: ['plugins', 'plugins info NAME', 'plugins install ./my-plugin', 'plugins new my-plugin --kind tool'],
    subcommands: [...createReadCommands(ctx), ...switching(ctx), ...createVersionCommands(ctx), ...making(ctx)],
    run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
  }
}

function createReadCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'list',
      description: 'List plugins, their status, and why any are not running',
      options: [all, json],
      examples: ['plugins list --all', 'plugins list --json'],
      run: async (input, io) => (await import('./list.ts')).list(ctx, input, io),
    },
    {
      name: 'info',
      description: 'All about one plugin, and what to do next',
      arguments: '<name>',
      options: [json],
      examples: ['plugins info chat'],
      run: async (input, io) => (await import('./info.ts')).info(ctx, input, io),
    },
  ]
}

function switching(ctx: Context): CliCommand[] {
  return [
    {
      name: 'enable',
      description: 'Switch a plugin on, in config.yaml and in what runs',
      arguments: '<name>',
      options: [
        yes,
        { flags: '--trust-changes', description: 'Development: later changes of its code run without a question' },
        json,
      ],
      examples: ['plugins enable my-plugin', 'plugins enable my-plugin --trust-changes'],
      run: async (input, io) => (await import('./enable.ts')).enable(ctx, input, io),
    },
    {
      name: 'disable',
      description: 'Disable a plugin (saved to config.yaml, effective immediately)',
      arguments: '<name>',
      options: [yes, json],
      examples: ['plugins disable tool-terminal'],
      run: async (input, io) => (await import('./enable.ts')).disable(ctx, input, io),
    },
    {
      name: 'reload',
      description: 'Replace the running code; if the new code fails, the old code keeps running',
      arguments: '<name>',
      options: [json],
      examples: ['plugins reload my-plugin'],
      run: async (input, io) => (await import('./running-processes.ts')).reload(ctx, input, io),
    },
  ]
}

function making(ctx: Context): CliCommand[] {
  return [
    {
      name: 'new',
      description: 'Write a plugin that runs, to be changed into yours',
      arguments: '<name>',
      options: [
        { flags: '--kind <kind>', description: 'tool (default), platform, provider or hooks' },
        { flags: '--dir <path>', description: 'The folder to make (default: ./NAME)' },
        { flags: '--typescript', description: 'Write TypeScript (default)' },
        { flags: '--javascript', description: 'Write JavaScript' },
        { flags: '--tests <runner>', description: 'Test runner: node (default) or vitest' },
        json,
      ],
      examples: ['plugins new weather', 'plugins new echo --kind provider --javascript'],
      run: async (input, io) => (await import('./new/command.ts')).create(ctx, input, io),
    },
    {
      name: 'dev',
      description: 'Run a plugin from its folder while you change it; edits are followed',
      arguments: '<dir> [command...]',
      options: [{ flags: '--inspect', description: 'Open the debugger of Node for the command' }],
      examples: ['plugins dev ./my-plugin', 'plugins dev ./my-plugin --inspect -- chat -q "Hello"'],
      run: async (input, io) => (await import('./dev.ts')).develop(ctx, input, io),
    },
    {
      name: 'verify',
      description: 'Check a plugin folder: its manifest, then the conformance kit',
      arguments: '[dir]',
      options: [
        { flags: '--link', description: 'Link node_modules to this svc first, for editors and tests' },
        { flags: '--with <dir...>', description: 'Another plugin that it needs; may be repeated' },
        { flags: '--config <file>', description: 'A file with settings, in the form of config.yaml' },
        { flags: '--packed', description: 'Only the files that npm pack would ship' },
        json,
      ],
      examples: ['plugins verify ./my-plugin', 'plugins verify . --json'],
      run: async (input, io) => (await import('./verify.ts')).verify(ctx, input, io),
    },
    {
      name: 'migrate',
      description: 'Rewrite a plugin for the present SDK: shows the changes, then asks',
      arguments: '<name>',
      options: [
        { flags: '--write', description: 'Write the changes without a question' },
        { flags: '--undo', description: 'Restore the files as they were before the last migration' },
        json,
      ],
      examples: [
        'plugins migrate my-plugin',
        'plugins migrate ./my-plugin --write',
        'plugins migrate ./my-plugin --undo',
      ],
      run: async (input, io) => (await import('./migrate/command.ts')).migrate(ctx, input, io),
    },
  ]
}
