/** The words of `svc kanban decompose` and `svc kanban specify`. */
import type { CliArguments, CliCommand, CliContext, CliOption } from 'svc/sdk'
import type { Context } from './planner.ts'

const options: readonly CliOption[] = [
  { flags: '--all', description: 'All tasks in triage of the board' },
  { flags: '--board <slug>', description: 'With --all: of this board' },
  { flags: '--tenant <name>', description: 'With --all: of this tenant' },
  { flags: '--author <name>', description: 'Who stands in the events (default: the profile in use)' },
  { flags: '--json', description: 'The results as JSON' },
]

export function decomposeCommand(ctx: Context): CliCommand {
  return {
    name: 'kanban decompose',
    description: 'Have a model take a task in triage apart into smaller ones, or specify it if it is small enough',
    arguments: '[task]',
    options: [...options],
    examples: ['kanban decompose t_12ab34cd', 'kanban decompose --all'],
    run: async (input: CliArguments, io: CliContext) => {
      const [{ plan }, { decompose }] = await Promise.all([import('./plan-command.ts'), import('./planner.ts')])
      return await plan(ctx, { input, io, verb: 'decompose', action: decompose })
    },
  }
}

export function specifyCommand(ctx: Context): CliCommand {
  return {
    name: 'kanban specify',
    description: 'Have a model write what a task in triage is about, and let it go to work',
    arguments: '[task]',
    options: [...options],
    examples: ['kanban specify t_12ab34cd', 'kanban specify --all --tenant acme'],
    run: async (input: CliArguments, io: CliContext) => {
      const [{ plan }, { specify }] = await Promise.all([import('./plan-command.ts'), import('./planner.ts')])
      return await plan(ctx, { input, io, verb: 'specify', action: specify })
    },
  }
}
