/** The words of `svc cron`; what they do is loaded when it is asked for. */
import type { CliArguments, CliCommand, CliContext, CliOption, PluginContext } from 'svc/sdk'
import type { CronJobs } from 'svc/sdk/jobs'
import { bringJobs } from './jobs.ts'

type Context = PluginContext<undefined>
export type Action = (jobs: CronJobs, input: CliArguments, io: CliContext) => Promise<number>
type Run = NonNullable<CliCommand['run']>
type Actions = typeof import('./actions.ts')

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const timezone: CliOption = {
  flags: '--timezone <zone>',
  description: 'Time zone of the schedule, such as Europe/Zurich',
}

const what: readonly CliOption[] = [
  {
    flags: '--deliver <target...>',
    description: 'origin, file, none, all, a platform or platform:chat; may be repeated',
  },
  { flags: '--script <file>', description: 'A file in the folder scripts that runs before the model' },
  { flags: '--model <model>', description: 'Model of its runs' },
  { flags: '--provider <name>', description: 'Provider of the model' },
  { flags: '--toolset <name...>', description: 'Only these toolsets and tools; may be repeated' },
  { flags: '--context-from <job...>', description: 'Put the newest output of this job before the prompt' },
  { flags: '--misfire <policy>', description: 'When no gateway ran: skip, once or all' },
  { flags: '--catch-up <count>', description: 'Runs at most that --misfire all makes up for' },
  { flags: '--grace <duration>', description: 'How late a run may begin, such as 10m' },
  { flags: '--repeat <count>', description: 'Complete it after so many runs' },
  { flags: '--budget <usd>', description: 'US dollars for all its runs together' },
  { flags: '--run-budget <usd>', description: 'US dollars for one run' },
  { flags: '--workdir <folder>', description: 'Where its runs work' },
  { flags: '--may-manage-jobs', description: 'Its runs may add and change jobs' },
  timezone,
]

export function cronCommand(ctx: Context): CliCommand {
  const does =
    (name: keyof Actions): Run =>
    async (input, io) => {
      const action: Action = (await import('./actions.ts'))[name]
      return action(await bringJobs(ctx), input, io)
    }
  const one = (name: keyof Actions, description: string, options: readonly CliOption[] = []): CliCommand => ({
    ...{ name, description, arguments: '<job>', options: [...options, json] },
    examples: [`cron ${name} morning-brief`],
    run: does(name),
  })
  return {
    name: 'cron',
    description: 'Scheduled jobs. A running gateway runs what is due. Without a command it lists them.',
    options: [json],
    run: does('list'),
    subcommands: [
      addCommand(does('add')),
      {
        name: 'list',
        description: 'List the jobs, the next one first',
        options: [{ flags: '--all', description: 'Also what is completed or removed' }, json],
        examples: ['cron list --all'],
        run: does('list'),
      },
      one('show', 'Show a job, the next times and the last runs'),
      editCommand(does('edit')),
      one('pause', 'Run nothing of a job until it is resumed', [
        { flags: '--reason <text>', description: 'For the list' },
      ]),
      one('resume', 'Resume a job from now on'),
      one('run', 'Run a job now', [{ flags: '--wait', description: 'Run it in this process and wait for the end' }]),
      one('remove', 'Remove a job; svc cron restore brings it back for 30 days'),
      one('restore', 'Bring a removed job back'),
      ...lookCommands(does),
    ],
  }
}

function addCommand(run: Run): CliCommand {
  return {
    name: 'add',
    description: 'Add a job. Other words than a schedule are read by a model, and shown before anything is added',
    arguments: '<schedule> [prompt]',
    options: [
      { flags: '--name <name>', description: 'Name; left out: the beginning of the prompt' },
      { flags: '--skill <name...>', description: 'A skill that is loaded before the prompt; may be repeated' },
      { flags: '--no-agent', description: 'Ask no model: the output of the script is the result' },
      ...what,
      json,
    ],
    examples: [
      'cron add 30m "Remind me of the bread"',
      'cron add "every 2h" --script check.sh --no-agent --deliver telegram',
      'cron add "0 9 * * mon-fri" "Summarise the mail of the night" --timezone Europe/Zurich',
    ],
    run,
  }
}

function editCommand(run: Run): CliCommand {
  return {
    name: 'edit',
    description: 'Change a job; an empty text takes a setting away',
    arguments: '<job>',
    options: [
      { flags: '--schedule <schedule>', description: 'When it is due' },
      { flags: '--prompt <text>', description: 'What the model is told' },
      { flags: '--name <name>', description: 'Name' },
      { flags: '--skill <name...>', description: 'The skills, in place of those there are' },
      { flags: '--add-skill <name...>', description: 'One more skill' },
      { flags: '--remove-skill <name...>', description: 'One skill less' },
      { flags: '--clear-skills', description: 'No skills' },
      { flags: '--agent', description: 'Ask the model again' },
      { flags: '--no-agent', description: 'Ask no model: the output of the script is the result' },
      ...what,
      json,
    ],
    examples: ['cron edit morning-brief --schedule "30 8 * * mon-fri"', 'cron edit morning-brief --script ""'],
    run,
  }
}

function lookCommands(does: (name: keyof Actions) => Run): CliCommand[] {
  return [
    {
      name: 'history',
      description: 'What became of each due time, the newest first; without a job, of all jobs',
      arguments: '[job]',
      options: [
        { flags: '--limit <count>', description: 'Rows at most (20)' },
        { flags: '--outcome <outcome...>', description: 'Only queued, running, ran, skipped, coalesced or expired' },
        json,
      ],
      examples: ['cron history morning-brief --outcome ran'],
      run: does('history'),
    },
    {
      name: 'preview',
      description: 'Show how a schedule is read and when it is due next; adds nothing',
      arguments: '<schedule>',
      options: [{ flags: '--count <count>', description: 'Times at most (5)' }, timezone, json],
      examples: ['cron preview "0 2 * * *" --timezone America/New_York'],
      run: does('preview'),
    },
    {
      name: 'status',
      description: 'Show how many jobs there are, what runs, and whether a gateway looks for what is due',
      options: [json],
      examples: ['cron status'],
      run: does('status'),
    },
    {
      name: 'tick',
      description: 'Run what is due in this process and wait for it: for a timer of the system in place of a gateway',
      options: [json],
      examples: ['cron tick'],
      run: does('tick'),
    },
  ]
}
