/** `svc skills curator`: what is done with the skills that the agent wrote. */
import { type CliArguments, type CliCommand, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { formatColumns, formatMoment, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { Config } from '../config.ts'
import type { Curator, CuratorState } from './curator.ts'
import type { Proposal } from './decide.ts'
import type { UsageBook } from './usage.ts'

const json = { flags: '--json', description: 'The result as JSON' }

/** What the commands work with. */
export interface CuratorCli {
  readonly curator: Curator
  state(): CuratorState
  usage(): UsageBook
  readonly config: Config['curator']
}

type Work = (deps: CuratorCli, input: CliArguments, io: CliContext) => Promise<number | undefined>

export function curatorCommand(open: () => Promise<CuratorCli>): CliCommand {
  const sub = (name: string, description: string, work: Work, more: Partial<CliCommand> = {}) => ({
    ...{ name, description, options: [json], examples: [`skills curator ${name}`] },
    ...more,
    run: async (input: CliArguments, io: CliContext) => work(await open(), input, io),
  })
  const named = (name: string) => ({ arguments: '<name>', examples: [`skills curator ${name} release-notes`] })
  return {
    name: 'skills curator',
    description:
      'Look after the skills that the agent wrote: what is not used goes to an archive, merges are proposed. Runs when svc is idle.',
    subcommands: [
      sub('status', 'Show the last pass, its proposals, and how often skills are used', status),
      sub('run', 'Make a pass now', run, {
        options: [
          { flags: '--dry-run', description: 'Only say what a pass would do' },
          { flags: '--consolidate', description: 'Also ask a model which skills could be one, in one call' },
          json,
        ],
        examples: ['skills curator run --dry-run', 'skills curator run --consolidate'],
      }),
      sub('accept', 'Do what a proposal says; both can be taken back', accept, {
        arguments: '<id>',
        options: [{ flags: '-y, --yes', description: 'Do not ask' }, json],
        examples: ['skills curator accept 1'],
      }),
      sub('pause', 'Make no passes until resume', pause(true)),
      sub('resume', 'Make passes again', pause(false)),
      sub('pin', 'Leave a skill alone', pin(true), named('pin')),
      sub('unpin', 'Look after a pinned skill again', pin(false), named('unpin')),
      sub('list-archived', 'List the skills in the archive', listArchived),
      sub('restore', 'Bring a skill back from the archive', restore, named('restore')),
    ],
  }
}

const status: Work = async ({ state, usage, config }, input, io) => {
  const { lastRunAt, runs, isPaused, pinned, proposals } = state()
  const { skills } = usage()
  if (hasFlag(input, 'json')) {
    const last_run_at = runs > 0 ? lastRunAt : null
    printJson(io, {
      enabled: config.enabled,
      paused: isPaused,
      run_count: runs,
      last_run_at,
      pinned,
      proposals,
      usage: skills,
    })
    return 0
  }
  const mode = config.enabled ? (isPaused ? 'paused' : `every ${config.interval_hours} hours`) : 'switched off'
  io.out(`passes: ${runs}, ${runs > 0 ? `the last at ${formatMoment(lastRunAt)}` : 'none so far'}; ${mode}\n`)
  if (pinned.length > 0) io.out(`pinned: ${pinned.join(', ')}\n`)
  for (const each of proposals) io.out(`proposal ${each.id}: ${formatProposal(each)}\n`)
  if (proposals.length > 0) io.out('`svc skills curator accept ID` does it.\n')
  const rows = Object.entries(skills).map(([name, { views, uses, lastAt }]) => [
    name,
    String(views),
    String(uses),
    formatMoment(lastAt),
  ])
  if (rows.length > 0)
    for (const line of formatColumns([['SKILL', 'READ', 'USED', 'LAST'], ...rows])) io.out(`${safeLine(line)}\n`)
  return 0
}

function formatProposal(proposal: Proposal | CuratorState['proposals'][number]): string {
  const { kind, skill, into, reason, author } = proposal
  const by = author === undefined ? '' : ' (proposed by a model)'
  return safeLine(`${kind === 'merge' ? `merge ${skill} into ${into}` : `retire ${skill}`}: ${reason}${by}`)
}

const run: Work = async ({ curator }, input, io) => {
  const isDry = hasFlag(input, 'dryRun')
  const consolidates = hasFlag(input, 'consolidate')
  const { archived, proposals, problem } = await curator.run({ isDry, consolidates, signal: io.signal })
  const code = problem === undefined ? 0 : 1
  if (hasFlag(input, 'json')) {
    printJson(io, { archived, proposals, dry_run: isDry, ...(problem !== undefined && { problem }) })
    return code
  }
  if (archived.length > 0)
    io.out(
      `${isDry ? 'Would be archived' : 'Archived'}: ${archived.join(', ')}. \`svc skills curator restore NAME\` brings one back.\n`,
    )
  for (const each of proposals) io.out(`Proposal: ${formatProposal(each)}\n`)
  if (archived.length + proposals.length === 0) io.out('Nothing to do.\n')
  else if (!isDry && proposals.length > 0) io.out('`svc skills curator status` lists the proposals with their ids.\n')
  if (problem !== undefined) io.err(`No model made proposals: ${safeLine(problem)}\n`)
  return code
}

const accept: Work = async ({ curator, state }, input, io) => {
  const id = Number(input.args[0])
  const found = state().proposals.find((each) => each.id === id)
  if (!found)
    throw new SvcError(
      'SKILL_NOT_FOUND',
      `There is no proposal ${safeLine(input.args[0] ?? '')}. svc skills curator status lists them.`,
    )
  const question = `${found.kind === 'merge' ? `Merge ${found.skill} into ${found.into}` : `Retire ${found.skill}`}?`
  if (!(await confirmCommand(io, question, input.options, () => io.out(`${formatProposal(found)}\n`)))) return 1
  const done = await curator.accept(id)
  if (hasFlag(input, 'json')) printJson(io, { accepted: done })
  else
    io.out(
      `Done. \`svc skills curator restore ${done.skill}\` brings it back${done.kind === 'merge' ? ', `svc skills edits` undoes the merge' : ''}.\n`,
    )
  return 0
}

const pause =
  (isPaused: boolean): Work =>
  async ({ curator }, input, io) => {
    await curator.pause(isPaused)
    if (hasFlag(input, 'json')) printJson(io, { paused: isPaused })
    else io.out(isPaused ? 'Paused. `svc skills curator resume` ends it.\n' : 'Passes are made again.\n')
    return 0
  }

const pin =
  (isPinned: boolean): Work =>
  async ({ curator }, input, io) => {
    const [name = ''] = input.args
    await curator.pin(name, isPinned)
    if (hasFlag(input, 'json')) printJson(io, { name, pinned: isPinned })
    else io.out(isPinned ? `${safeLine(name)} is left alone.\n` : `${safeLine(name)} is not pinned.\n`)
    return 0
  }

const listArchived: Work = async ({ curator }, input, io) => {
  const archived = await curator.listArchived()
  if (hasFlag(input, 'json')) printJson(io, { archived })
  else if (archived.length === 0) io.out('The archive is empty.\n')
  else for (const line of formatColumns(archived.map(({ name, at }) => [name, formatMoment(at)]))) io.out(`${line}\n`)
  return 0
}

const restore: Work = async ({ curator }, input, io) => {
  const [name = ''] = input.args
  const folder = await curator.restore(name)
  if (hasFlag(input, 'json')) printJson(io, { name, folder })
  else io.out(`${safeLine(name)} is back in ${safeLine(folder)}.\n`)
  return 0
}
