/** `svc skills list-modified`, `svc skills diff` and `svc skills reset`. */
import { type CliArguments, type CliCommand, type CliContext, confirmCommand, type PluginContext } from 'svc/sdk'
import { formatColumns, hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'

type Context = PluginContext<undefined>

const json = { flags: '--json', description: 'The result as JSON' }

export function compareCommands(ctx: Context): readonly CliCommand[] {
  return [
    {
      name: 'skills list-modified',
      description: 'List the built-in skills that you changed',
      options: [json],
      examples: ['skills list-modified', 'skills list-modified --json'],
      run: (input, io) => showModified(ctx, input, io),
    },
    {
      name: 'skills diff',
      description: 'Show how your copy of a built-in skill differs from that of svc',
      arguments: '<name>',
      options: [json],
      examples: ['skills diff telephony'],
      run: (input, io) => showDifference(ctx, input, io),
    },
    {
      name: 'skills reset',
      description:
        'Forget what is recorded of a built-in skill: one that you deleted is copied again, one that you changed is yours. With --restore, replace your copy; it is kept in skills/.bak.',
      arguments: '<name>',
      options: [
        { flags: '--restore', description: 'Replace your copy with that of svc' },
        { flags: '-y, --yes', description: 'Do not ask' },
        json,
      ],
      examples: ['skills reset telephony', 'skills reset telephony --restore'],
      run: (input, io) => reset(ctx, input, io),
    },
  ]
}

async function showModified(ctx: Context, input: CliArguments, io: CliContext): Promise<void> {
  const modified = (await import('./seeds.ts')).listModifiedSeeds(ctx)
  if (hasFlag(input, 'json')) return printJson(io, { modified })
  if (modified.length === 0) io.out('You changed no built-in skill.\n')
  const rows = modified.map(({ name, path, has_update }) => [name, path, has_update ? 'svc has a newer version' : ''])
  for (const line of formatColumns(rows)) io.out(`${safeLine(line.trimEnd())}\n`)
  if (modified.length > 0)
    io.out('`svc skills diff NAME` shows what is different, `svc skills reset NAME --restore` takes it back.\n')
}

async function showDifference(ctx: Context, input: CliArguments, io: CliContext): Promise<void> {
  const [name = ''] = input.args
  const files = await (await import('./seeds.ts')).compareWithSource(ctx, name)
  if (hasFlag(input, 'json')) return printJson(io, { name, files })
  if (files.length === 0) io.out(`Your copy of ${safeLine(name)} is that of svc.\n`)
  const parts = files.map(({ path, what, diff }) =>
    diff === undefined ? `${safeLine(path)}: ${what}\n` : `${safeBlock(diff.trimEnd())}\n`,
  )
  await printParts(io, parts)
}

async function reset(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [name = ''] = input.args
  const seeds = await import('./seeds.ts')
  const isRestored = hasFlag(input, 'restore')
  const changed = await seeds.compareWithSource(ctx, name)
  if (isRestored && changed.some(({ what }) => what !== 'removed')) {
    const show = () => io.out(`Differs from svc: ${changed.map(({ path }) => safeLine(path)).join(', ')}\n`)
    if (!(await confirmCommand(io, `Replace your copy of ${name} with that of svc?`, input.options, show))) return 1
  }
  const outcome = await seeds.reset(ctx, name, { isRestored })
  if (hasFlag(input, 'json')) printJson(io, { name, outcome })
  else io.out(`${OUTCOMES[outcome].replaceAll('NAME', safeLine(name))}\n`)
  return outcome === 'claimed' ? 1 : 0
}

const OUTCOMES = {
  copied: 'NAME is that of svc now. A copy that was replaced is in skills/.bak/NAME.',
  current: 'NAME is that of svc, and is kept up to date.',
  kept: 'NAME is yours now and is not updated any more. `svc skills reset NAME --restore` replaces it.',
  claimed: 'NAME was not copied: another skill has its name or its place.',
} as const
