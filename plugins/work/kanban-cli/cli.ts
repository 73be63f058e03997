/** The words of `svc kanban`; what they do is loaded when it is asked for. */
import { type CliArguments, type CliCommand, type CliContext, type CliOption, Clock, type PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Boards, TaskDispatch } from 'svc/sdk/kanban'

export type Context = Pick<PluginContext<unknown>, 'use'>
/** What a command does, with the boards. */
export type Action = (boards: Boards, input: CliArguments, io: CliContext, clock: Clock) => Promise<number>
type Run = NonNullable<CliCommand['run']>
type Clean = () => Promise<readonly string[]>
type Does = (load: () => Promise<Action>) => Run

const json: CliOption = { flags: '--json', description: 'The result as JSON' }
const yes: CliOption = { flags: '--yes', description: 'Do not ask' }
const board: CliOption = { flags: '--board <name>', description: 'Another board than the one in use' }
const author: CliOption = { flags: '--by <name>', description: 'Who does it (default: the user of this machine)' }

export function kanbanCommand(ctx: Context): CliCommand {
  // Loaded with a conversation, it brings the boards only when something is asked of them.
  const bring = async () => (await ctx.use(Plugins).bring(Boards)) ?? ctx.use(Boards)
  const does: Does = (load) => async (input, io) => (await load())(await bring(), input, io, ctx.use(Clock))
  // Without the plugin that makes them there are no folders.
  const clean: Clean = async () => (await (await ctx.use(Plugins).bring(TaskDispatch))?.clean()) ?? []
  return {
    name: 'kanban',
    description: 'The board: tasks that wait for each other, and who works at them. Without a command it lists them.',
    options: [board, json],
    run: does(async () => (await import('./show.ts')).list),
    subcommands: [...reading(does), ...making(does), ...moving(does), ...keeping(does, clean)],
  }
}

function reading(does: Does): CliCommand[] {
  return [
    {
      name: 'list',
      description: 'List the tasks of a board',
      options: [
        { flags: '--status <names>', description: 'Only these statuses, with commas: ready,running' },
        { flags: '--assignee <name>', description: 'Only those of a profile' },
        { flags: '--tenant <name>', description: 'Only those of a tenant' },
        { flags: '--text <words>', description: 'Only those with this in title or body' },
        { flags: '--archived', description: 'Archived ones too' },
        { flags: '--sort <order>', description: 'created, created-desc, dispatch, updated-desc or title' },
        { flags: '--limit <number>', description: 'At most so many (default 200)' },
        board,
        json,
      ],
      examples: ['kanban list --status ready,running', 'kanban list --sort dispatch --json'],
      run: does(async () => (await import('./show.ts')).list),
    },
    {
      name: 'show',
      description: 'Show a task with its links, comments, runs and events',
      arguments: '<id>',
      options: [json],
      examples: ['kanban show t_1a2b3c4d'],
      run: does(async () => (await import('./show.ts')).show),
    },
    {
      name: 'context',
      description: 'Print what a worker is told of a task',
      arguments: '<id>',
      options: [json],
      examples: ['kanban context t_1a2b3c4d'],
      run: does(async () => (await import('./show.ts')).context),
    },
    {
      name: 'runs',
      description: 'List the runs of a task; without one, those that are open',
      arguments: '[id]',
      options: [board, json],
      examples: ['kanban runs t_1a2b3c4d', 'kanban runs'],
      run: does(async () => (await import('./show.ts')).runs),
    },
    {
      name: 'tail',
      description: 'Print the events of a task as they come, until Ctrl-C',
      arguments: '<id>',
      options: [{ flags: '--once', description: 'Print those there are, and end' }, json],
      examples: ['kanban tail t_1a2b3c4d --once'],
      run: does(async () => (await import('./watch.ts')).tail),
    },
    {
      name: 'watch',
      description: 'Print the events of a board as they come, until Ctrl-C',
      options: [
        { flags: '--kinds <names>', description: 'Only these kinds, with commas: completed,blocked' },
        { flags: '--after <cursor>', description: 'Begin after this event' },
        { flags: '--once', description: 'Print those there are, and end' },
        board,
        json,
      ],
      examples: ['kanban watch --kinds completed,blocked,gave_up', 'kanban watch --once --json'],
      run: does(async () => (await import('./watch.ts')).watch),
    },
    {
      name: 'stats',
      description: 'Count the tasks of a board by status and assignee',
      options: [board, json],
      examples: ['kanban stats --json'],
      run: does(async () => (await import('./show.ts')).stats),
    },
  ]
}

const taskOptions: readonly CliOption[] = [
  { flags: '--body <text>', description: 'What is to be done; - reads it from standard input' },
  { flags: '--tenant <name>', description: 'For whom' },
  { flags: '--priority <number>', description: 'The larger the sooner' },
  { flags: '--workspace <kind>', description: 'scratch, dir:PATH, worktree or worktree:PATH' },
  { flags: '--branch <name>', description: 'The branch of a worktree' },
  { flags: '--skill <name...>', description: 'Skills that the worker uses' },
  { flags: '--model <name>', description: 'Another model than that of the profile' },
  { flags: '--max-runtime <time>', description: 'How long a run may take: 90s, 30m, 2h, 1d' },
  { flags: '--max-retries <number>', description: 'Failed runs after which it is blocked' },
  { flags: '--budget-usd <amount>', description: 'What it may cost' },
  { flags: '--check-command <command...>', description: 'Done only if this shell command exits with 0' },
  { flags: '--check-file <path...>', description: 'Done only if this file is in the workspace' },
  { flags: '--check-url <address...>', description: 'Done only if this address answers' },
]

function making(does: Does): CliCommand[] {
  return [
    {
      name: 'create',
      description: 'Create a task',
      arguments: '<title>',
      options: [
        { flags: '--assignee <name>', description: 'The profile that is to do it' },
        { flags: '--parent <id...>', description: 'Tasks that have to be done before' },
        ...taskOptions,
        { flags: '--triage', description: 'To be specified or taken apart first' },
        { flags: '--blocked', description: 'Held back until it is unblocked' },
        { flags: '--idempotency-key <key>', description: 'The same key does not create a second task' },
        ...[author, board, json],
      ],
      examples: [
        'kanban create "Write the report" --assignee writer --max-retries 3',
        'kanban create "Plan it" --triage',
      ],
      run: does(async () => (await import('./make.ts')).create),
    },
    {
      name: 'edit',
      description: 'Change what a task says; of one that is done, its result',
      arguments: '<id>',
      options: [
        { flags: '--title <text>', description: 'Its title' },
        ...taskOptions,
        { flags: '--result <text>', description: 'The result of a task that is done' },
        { flags: '--summary <text>', description: 'The summary of a task that is done' },
        ...[author, json],
      ],
      examples: ['kanban edit t_1a2b3c4d --priority 5'],
      run: does(async () => (await import('./make.ts')).edit),
    },
    {
      name: 'assign',
      description: 'Give a task to a profile, or to none; forgets its failures',
      arguments: '<id> <profile>',
      options: [author, json],
      examples: ['kanban assign t_1a2b3c4d writer', 'kanban assign t_1a2b3c4d none'],
      run: does(async () => (await import('./make.ts')).assign),
    },
    ...(['link', 'unlink'] as const).map(
      (name): CliCommand => ({
        name,
        description: name === 'link' ? 'Have a task wait for another' : 'Have a task no longer wait for another',
        arguments: '<parent> <child>',
        options: [author, json],
        examples: [`kanban ${name} t_1a2b3c4d t_5e6f7a8b`],
        run: does(async () => (await import('./make.ts'))[name]),
      }),
    ),
    {
      name: 'comment',
      description: 'Write a comment at a task; its worker reads it at the next run',
      arguments: '<id> <text...>',
      options: [author, json],
      examples: ['kanban comment t_1a2b3c4d "Use the figures of May"'],
      run: does(async () => (await import('./make.ts')).comment),
    },
    {
      name: 'attach',
      description: 'Keep a file with a task, or write one of it to a file',
      arguments: '<id> <file>',
      options: [
        { flags: '--get <number>', description: 'Write this attachment to the file instead' },
        { flags: '--yes', description: 'Replace the file, if it is there' },
        ...[author, json],
      ],
      examples: ['kanban attach t_1a2b3c4d report.pdf', 'kanban attach t_1a2b3c4d copy.pdf --get 3'],
      run: does(async () => (await import('./attach.ts')).attach),
    },
  ]
}

function moving(does: Does): CliCommand[] {
  const move = (
    name: 'unblock' | 'reclaim' | 'archive',
    description: string,
    more: readonly CliOption[] = [],
  ): CliCommand => ({
    name,
    description,
    arguments: '<ids...>',
    options: [{ flags: '--reason <text>', description: 'Why' }, ...more, author, json],
    examples: [`kanban ${name} t_1a2b3c4d`],
    run: does(async () => (await import('./move.ts'))[name]),
  })
  return [
    {
      name: 'complete',
      description: 'Say that tasks are done',
      arguments: '<ids...>',
      options: [
        { flags: '--summary <text>', description: 'What was done, in a line' },
        { flags: '--result <text>', description: 'The result' },
        { flags: '--metadata <json>', description: 'Facts for programs, as a JSON object' },
        { flags: '--unverified', description: 'Although its checks were not looked at' },
        ...[author, json],
      ],
      examples: ['kanban complete t_1a2b3c4d --summary "Sent on Monday"'],
      run: does(async () => (await import('./move.ts')).complete),
    },
    {
      name: 'block',
      description: 'Hold a task back until it is unblocked',
      arguments: '<id> <reason...>',
      options: [
        { flags: '--kind <kind>', description: 'dependency, needs_input, capability or transient' },
        ...[author, json],
      ],
      examples: ['kanban block t_1a2b3c4d "Which customer?" --kind needs_input'],
      run: does(async () => (await import('./move.ts')).block),
    },
    move('unblock', 'Let blocked or scheduled tasks go on; forgets their failures'),
    {
      name: 'schedule',
      description: 'Put a task off until it is unblocked, or until a moment',
      arguments: '<id> [reason...]',
      options: [
        { flags: '--at <time>', description: 'When it becomes ready again: an ISO time, or a span such as 2h' },
        ...[author, json],
      ],
      examples: ['kanban schedule t_1a2b3c4d "After the holidays" --at 2027-01-04T09:00:00Z'],
      run: does(async () => (await import('./move.ts')).schedule),
    },
    {
      name: 'promote',
      description: 'Make a waiting or blocked task ready',
      arguments: '<id> [reason...]',
      options: [
        { flags: '--force', description: 'Although what it waits for is not done' },
        { flags: '--dry-run', description: 'Only say what it waits for' },
        ...[author, json],
      ],
      examples: ['kanban promote t_1a2b3c4d --force'],
      run: does(async () => (await import('./move.ts')).promote),
    },
    move('reclaim', 'Take running tasks back from their workers, who lose them'),
    move('archive', 'Put tasks away; a running one loses its worker', [
      { flags: '--rm', description: 'Delete archived tasks for good' },
      yes,
    ]),
  ]
}

function keeping(does: Does, clean: Clean): CliCommand[] {
  return [
    {
      name: 'boards',
      description: 'List boards, or create, use, change, show or remove one',
      arguments: '[action] [name]',
      options: [
        { flags: '--name <text>', description: 'What it is called' },
        { flags: '--description <text>', description: 'What it is for' },
        { flags: '--workdir <path>', description: 'Where tasks with a folder of their own work' },
        { flags: '--budget-usd <amount>', description: 'What all of its tasks may cost together' },
        { flags: '--archive', description: 'change: hide it from the list' },
        { flags: '--all', description: 'list: archived ones too' },
        ...[yes, json],
      ],
      examples: ['kanban boards', 'kanban boards create work --description "Customers"', 'kanban boards use work'],
      run: does(async () => (await import('./boards.ts')).boards),
    },
    {
      name: 'notify',
      description: 'List the chats that hear of tasks; add or remove one',
      arguments: '[action] [id]',
      options: [
        { flags: '--platform <name>', description: 'The platform of the chat' },
        { flags: '--chat <id>', description: 'The chat' },
        { flags: '--thread <id>', description: 'A thread of it' },
        json,
      ],
      examples: ['kanban notify', 'kanban notify add t_1a2b3c4d --platform telegram --chat 42'],
      run: does(async () => (await import('./boards.ts')).notify),
    },
    {
      name: 'gc',
      description: 'Delete old events and scratch folders of tasks that are done or archived',
      options: [
        { flags: '--days <number>', description: 'Those older than so many days (default 30)' },
        ...[yes, json],
      ],
      examples: ['kanban gc --days 90 --yes'],
      run: does(async () => {
        const { collect } = await import('./boards.ts')
        return (boards, input, io) => collect(boards, input, io, clean)
      }),
    },
    {
      name: 'doctor',
      description:
        'Look for tasks that need a person: blocked, failing, waiting for long. Exit code 1 if there are any',
      options: [board, json],
      examples: ['kanban doctor'],
      run: does(async () => (await import('./doctor.ts')).doctor),
    },
  ]
}
