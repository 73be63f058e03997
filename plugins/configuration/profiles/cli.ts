/** The words of `svc profile`; what they do is loaded when it is asked for. */
import type { CliArguments, CliCommand, CliContext, CliOption } from 'svc/sdk'
import type { Context } from './profile-folders.ts'

type Action = (ctx: Context, input: CliArguments, io: CliContext) => Promise<number>
type Run = NonNullable<CliCommand['run']>

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '--yes', description: 'Do not ask' }

export function profileCommand(ctx: Context): CliCommand {
  const does =
    (load: () => Promise<Action>): Run =>
    async (input, io) =>
      (await load())(ctx, input, io)
  const list = does(async () => (await import('./show.ts')).list)
  return {
    name: 'profile',
    description:
      'Profiles are homes side by side: each has its own settings, keys, skills, memories and conversations. Without a command it lists them.',
    options: [json],
    run: list,
    subcommands: [
      { name: 'list', description: 'List the profiles', options: [json], examples: ['profile list --json'], run: list },
      {
        name: 'show',
        description: 'Show a profile; without a name, the one in use',
        arguments: '[name]',
        options: [json],
        examples: ['profile show work'],
        run: does(async () => (await import('./show.ts')).show),
      },
      ...lifeCommands(does),
      describeCommand(does),
      ...archiveCommands(does),
      ...sourceCommands(does),
      aliasCommand(does),
    ],
  }
}

function lifeCommands(does: (load: () => Promise<Action>) => Run): CliCommand[] {
  return [
    {
      name: 'create',
      description: 'Create a profile; with --clone, as a copy of the settings, keys, skills and memories of another',
      arguments: '<name>',
      options: [
        { flags: '--description <text>', description: 'What it is for, in a sentence or two' },
        { flags: '--no-skills', description: 'Copy no built-in skills into it' },
        { flags: '--clone', description: 'Copy the profile in use' },
        { flags: '--clone-all', description: 'Copy also plugins, sign-ins and other files; no conversations, no logs' },
        { flags: '--clone-from <name>', description: 'Copy this profile' },
        json,
      ],
      examples: ['profile create work --description "Answers mail of customers"', 'profile create lab --clone'],
      run: does(async () => (await import('./change.ts')).create),
    },
    {
      name: 'use',
      description: 'Choose the profile of commands without -p',
      arguments: '<name>',
      options: [json],
      examples: ['profile use work', 'profile use default'],
      run: does(async () => (await import('./change.ts')).use),
    },
    {
      name: 'rename',
      description: 'Give a profile another name',
      arguments: '<name> <new-name>',
      options: [json],
      examples: ['profile rename work office'],
      run: does(async () => (await import('./change.ts')).rename),
    },
    {
      name: 'delete',
      description: 'Move a profile with all it holds to the trash',
      arguments: '<name>',
      options: [yes, json],
      examples: ['profile delete work'],
      run: does(async () => (await import('./change.ts')).remove),
    },
    {
      name: 'restore',
      description: 'Bring a deleted profile back',
      arguments: '<name>',
      options: [json],
      examples: ['profile restore work'],
      run: does(async () => (await import('./change.ts')).restore),
    },
  ]
}

function describeCommand(does: (load: () => Promise<Action>) => Run): CliCommand {
  return {
    name: 'describe',
    description: 'Show, set, or have a model write what a profile is for; without a name, the one in use',
    arguments: '[name]',
    options: [
      { flags: '--text <text>', description: 'The description' },
      { flags: '--auto', description: 'Have a model write it, from its name, SOUL.md and skills' },
      { flags: '--all', description: 'With --auto: all profiles' },
      { flags: '--overwrite', description: 'With --auto: also replace what a person wrote' },
      json,
    ],
    examples: ['profile describe work --text "Answers mail of customers"', 'profile describe --all --auto'],
    run: does(async () => (await import('./describe.ts')).describe),
  }
}

function archiveCommands(does: (load: () => Promise<Action>) => Run): CliCommand[] {
  return [
    {
      name: 'export',
      description:
        'Write settings, skills and memories of a profile to an archive, without keys; without a name, of the one in use',
      arguments: '[name]',
      options: [
        { flags: '-o, --output <file>', description: 'The archive (default: NAME.svc-profile.zip here)' },
        { flags: '--secrets', description: 'With .env, and with no secret masked' },
        { flags: '--force', description: 'Replace the file if there is one' },
        json,
      ],
      examples: ['profile export work --output work.zip'],
      run: does(async () => (await import('./export.ts')).exportCommand),
    },
    {
      name: 'import',
      description: 'Create a profile from an archive that export wrote',
      arguments: '<file>',
      options: [
        { flags: '--name <name>', description: 'Its name (default: as in the archive)' },
        { flags: '--no-skills', description: 'Leave its skills out' },
        { flags: '--force', description: 'Take over skills that the scan doubts; not those that it calls dangerous' },
        json,
      ],
      examples: ['profile import work.zip --name copy'],
      run: does(async () => (await import('./import.ts')).importCommand),
    },
  ]
}

function sourceCommands(does: (load: () => Promise<Action>) => Run): CliCommand[] {
  const force = {
    flags: '--force',
    description: 'Take over skills that the scan doubts; not those that it calls dangerous',
  }
  return [
    {
      name: 'install',
      description: 'Create a profile from a git repository: settings, SOUL.md and skills, after a look at them',
      arguments: '<source>',
      options: [
        {
          flags: '--name <name>',
          description: 'Its name (default: as its distribution.yaml says, or that of the repository)',
        },
        { flags: '--no-skills', description: 'Leave its skills out' },
        ...[force, yes, json],
      ],
      examples: [
        'profile install https://example.org/team/mail.git#v2',
        'profile install /srv/profiles/mail --name post',
      ],
      run: does(async () => (await import('./install.ts')).install),
    },
    {
      name: 'update',
      description: 'Bring a profile that was installed to what its repository has now; files that you changed stay',
      arguments: '<name>',
      options: [
        { flags: '--force-config', description: 'Also replace a config.yaml that you changed' },
        force,
        yes,
        json,
      ],
      examples: ['profile update mail'],
      run: does(async () => (await import('./install.ts')).update),
    },
  ]
}

function aliasCommand(does: (load: () => Promise<Action>) => Run): CliCommand {
  return {
    name: 'alias',
    description: 'Write a command that starts svc in a profile, to ~/.local/bin',
    arguments: '<name>',
    options: [
      { flags: '--name <command>', description: 'The command (default: the name of the profile)' },
      { flags: '--remove', description: 'Remove the commands of the profile' },
      json,
    ],
    examples: ['profile alias work', 'profile alias work --remove'],
    run: does(async () => (await import('./alias.ts')).aliasCommand),
  }
}
