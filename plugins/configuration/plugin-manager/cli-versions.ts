/** `svc plugins`: the commands about what was installed and its versions. */
import type { CliCommand, CliOption, PluginContext } from 'svc/sdk'

type Context = PluginContext<undefined>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '-y, --yes', description: 'Do not ask' }
const noVerify: CliOption = { flags: '--no-verify', description: 'Leave out the conformance kit, which runs its code' }

export function createVersionCommands(ctx: Context): CliCommand[] {
  return [
    createInstall(ctx),
    createUpdate(ctx),
    ...createReturnCommands(ctx),
    ...createRemoval(ctx),
    createRecovery(ctx),
  ]
}

function createInstall(ctx: Context): CliCommand {
  return {
    name: 'install',
    description: 'Install a plugin from a folder, a .tgz file, an https address, npm or git',
    arguments: '<spec>',
    options: [yes, { flags: '--no-enable', description: 'Install it without switching it on' }, noVerify, json],
    examples: [
      'plugins install ./my-plugin',
      'plugins install my-plugin-1.0.0.tgz --yes',
      'plugins install svc-plugin-x@2',
      'plugins install github:owner/repository#v1.0.0',
    ],
    run: async (input, io) => (await import('./install.ts')).install(ctx, input, io),
  }
}

function createUpdate(ctx: Context): CliCommand {
  return {
    name: 'update',
    description: 'Update one installed plugin, or all, from where they came; the old version is kept',
    arguments: '[name]',
    options: [
      { flags: '--check', description: 'Only look for newer versions' },
      { flags: '--from <spec>', description: 'Take it from here, as in svc plugins install' },
      { flags: '--moved-tag', description: 'Accept a git tag that names another commit than before' },
      yes,
      noVerify,
      json,
    ],
    examples: [
      'plugins update my-plugin',
      'plugins update my-plugin --from svc-plugin-x@1.0.0',
      'plugins update --check',
    ],
    run: async (input, io) => (await import('./update.ts')).update(ctx, input, io),
  }
}

function createReturnCommands(ctx: Context): CliCommand[] {
  return [
    {
      name: 'outdated',
      description: 'List installed plugins that have a newer version where they came from',
      arguments: '[name]',
      options: [json],
      examples: ['plugins outdated', 'plugins outdated --json'],
      run: async (input, io) => (await import('./outdated.ts')).outdated(ctx, input, io),
    },
    {
      name: 'rollback',
      description: 'Return to the version before the last update, with its data and settings',
      arguments: '<name>',
      options: [yes, json],
      examples: ['plugins rollback my-plugin'],
      run: async (input, io) => (await import('./rollback.ts')).rollback(ctx, input, io),
    },
  ]
}

function createRecovery(ctx: Context): CliCommand {
  return {
    name: 'recover',
    description: 'Complete or take back a change of a plugin whose process ended in the middle',
    options: [json],
    examples: ['plugins recover'],
    run: async (input, io) => (await import('./versions/recover-command.ts')).recoverNow(ctx, input, io),
  }
}

function createRemoval(ctx: Context): CliCommand[] {
  return [
    {
      name: 'remove',
      description: 'Move an installed plugin to the trash; its data and settings stay',
      arguments: '<name>',
      options: [{ flags: '--purge', description: 'Remove its data, settings and consents too' }, yes, json],
      examples: ['plugins remove my-plugin', 'plugins remove my-plugin --purge'],
      run: async (input, io) => (await import('./remove.ts')).remove(ctx, input, io),
    },
    {
      name: 'restore',
      description: 'Take back the removal of a plugin with --purge',
      arguments: '<name>',
      options: [yes, json],
      examples: ['plugins restore my-plugin'],
      run: async (input, io) => (await import('./purge.ts')).restore(ctx, input, io),
    },
  ]
}
