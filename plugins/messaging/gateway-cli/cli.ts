/** The words of `svc gateway`; what they do is loaded when it is asked for. */
import type { CliArguments, CliCommand, CliContext, PluginContext } from 'svc/sdk'

type CommandAction = (ctx: PluginContext<undefined>, input: CliArguments, io: CliContext) => Promise<number>

const profiles = {
  flags: '--profiles <names>',
  description: 'Of these profiles, separated by commas; all: of every profile',
}
const json = (what: string) => ({ flags: '--json', description: what })
const runOptions = [
  json('One event a line, as JSON'),
  { flags: '--replace', description: 'Replace the running gateway for this SVC_HOME' },
  { flags: '--no-supervise', description: 'Run without the supervisor that restarts it after a crash' },
  profiles,
  { flags: '--background', description: 'Log to logs/gateway.log instead of the terminal, as start does' },
]

export function gatewayCommand(ctx: PluginContext<undefined>): CliCommand {
  const does = (load: () => Promise<CommandAction>) => async (input: CliArguments, io: CliContext) =>
    (await load())(ctx, input, io)
  /** The same for each profile that `--profiles` names. */
  const doesEach = (load: () => Promise<CommandAction>) => async (input: CliArguments, io: CliContext) => {
    const action = await load()
    if (input.options['profiles'] === undefined) return await action(ctx, input, io)
    return await (await import('./each-profile.ts')).eachProfile(ctx, input, io, action)
  }
  const run = does(async () => (await import('./run.ts')).run)
  return {
    name: 'gateway',
    description: 'Connects chat platforms and answers there. Without a command it runs until Ctrl-C.',
    options: runOptions,
    run,
    subcommands: [
      {
        name: 'run',
        description: 'Run it in this terminal',
        options: runOptions,
        examples: [
          'gateway run',
          'gateway run --profiles default,work',
          'gateway run --replace',
          'gateway run --json --no-supervise',
        ],
        run,
      },
      {
        name: 'start',
        description: 'Start the gateway in the background and wait until it is ready',
        options: [{ flags: '--no-service', description: 'Not as the installed service' }, profiles],
        examples: ['gateway start', 'gateway start --profiles default,work'],
        run: does(async () => (await import('./start.ts')).start),
      },
      {
        name: 'stop',
        description: 'Stop it when the answers under way are done',
        options: [profiles],
        examples: ['gateway stop', 'gateway stop --profiles all'],
        run: doesEach(async () => (await import('./stop.ts')).stop),
      },
      {
        name: 'restart',
        description: 'Stop it when the answers under way are done, and start it again',
        options: [profiles],
        examples: ['gateway restart', 'gateway restart --profiles work'],
        run: doesEach(async () => (await import('./start.ts')).restart),
      },
      {
        name: 'status',
        description: 'Show gateway status, or why it stopped',
        options: [json('As JSON'), profiles],
        examples: ['gateway status --json', 'gateway status --profiles all'],
        run: doesEach(async () => (await import('./status.ts')).status),
      },
      {
        name: 'drain',
        description: 'Begin no new turns and let those under way end, until cancelled or restarted',
        options: [
          { flags: '--cancel', description: 'Begin turns again, with the messages that came meanwhile' },
          { flags: '--no-notice', description: 'Do not tell chats that write meanwhile' },
          json('As JSON'),
        ],
        examples: ['gateway drain', 'gateway drain --cancel --json'],
        run: does(async () => (await import('./drain.ts')).drain),
      },
      ...platformCommands(does),
      ...serviceCommands(does),
    ],
  }
}

type Does = (load: () => Promise<CommandAction>) => (input: CliArguments, io: CliContext) => Promise<number>

function platformCommands(does: Does): CliCommand[] {
  return [
    {
      name: 'pause',
      description: 'Disconnect a platform until it is resumed',
      arguments: '<platform>',
      examples: ['gateway pause telegram'],
      run: does(async () => (await import('./platforms.ts')).pause),
    },
    {
      name: 'resume',
      description: 'Connect a platform again, now',
      arguments: '<platform>',
      examples: ['gateway resume telegram'],
      run: does(async () => (await import('./platforms.ts')).resume),
    },
    {
      name: 'contact',
      description: 'Show where people reach the agent, as a link and a QR code',
      arguments: '[platform]',
      options: [json('As JSON')],
      examples: ['gateway contact', 'gateway contact telegram', 'gateway contact --json'],
      run: does(async () => (await import('./contact.ts')).contact),
    },
    {
      name: 'rehearse',
      description: 'Try out the configuration of a platform against a stand-in for its service',
      arguments: '[platform]',
      options: [
        { flags: '--chaos <faults>', description: 'Faults of the stand-in, separated by commas' },
        json('One step a line, as JSON'),
      ],
      examples: ['gateway rehearse telegram --chaos busy,flap'],
      run: does(async () => (await import('./platforms.ts')).rehearse),
    },
  ]
}

function serviceCommands(does: Does): CliCommand[] {
  const options = [
    { flags: '--dry-run', description: 'Show what would be done, and do nothing' },
    { flags: '--manager <name>', description: 'systemd, launchd or task-scheduler (default: that of this machine)' },
  ]
  return [
    {
      name: 'install',
      description: 'Let the system start it when you log in (systemd, launchd or the Task Scheduler)',
      options: [...options, profiles],
      examples: ['gateway install --dry-run', 'gateway install --profiles default,work'],
      run: does(async () => (await import('./install.ts')).install),
    },
    {
      name: 'uninstall',
      description: 'Undo install',
      options,
      examples: ['gateway uninstall'],
      run: does(async () => (await import('./install.ts')).uninstall),
    },
  ]
}
