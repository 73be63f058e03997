/** `svc skills pending`, `svc skills approve` and `svc skills reject`. */
import { type CliArguments, type CliCommand, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { formatMoment, hasFlag, printJson, printParts, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { ManageDeps } from '../manage.ts'
import type { Decided } from './decide.ts'
import type { StagedWrite } from './store.ts'

const json = { flags: '--json', description: 'The result as JSON' }
const yes = { flags: '-y, --yes', description: 'Do not ask' }

export function stagedCommands(open: () => Promise<ManageDeps>): readonly CliCommand[] {
  return [
    {
      name: 'pending',
      description: 'Show the changes of skills by the agent that wait for you, with their diffs',
      arguments: '[id]',
      options: [json],
      examples: ['skills pending', 'skills pending 3f2a1c09'],
      run: async (input, io) => showPending(await open(), input, io),
    },
    {
      name: 'approve',
      description: 'Make a change that waits, or all of them. It can be undone with `skills edits`.',
      arguments: '<id>',
      options: [yes, json],
      examples: ['skills approve 3f2a1c09', 'skills approve all --yes'],
      run: async (input, io) => decide(await open(), 'approve', input, io),
    },
    {
      name: 'reject',
      description: 'Drop a change that waits, or all of them',
      arguments: '<id>',
      options: [yes, json],
      examples: ['skills reject 3f2a1c09', 'skills reject all --yes'],
      run: async (input, io) => decide(await open(), 'reject', input, io),
    },
  ]
}

async function showPending({ staged }: ManageDeps, input: CliArguments, io: CliContext): Promise<number> {
  const [id] = input.args
  const { writes, problems } =
    id === undefined ? await staged.list() : { writes: [await staged.find(id)], problems: [] }
  if (hasFlag(input, 'json')) printJson(io, { pending: writes, problems })
  else if (writes.length + problems.length === 0) io.out('No change of the agent waits.\n')
  else {
    const broken = problems.map((file) => `cannot be read: ${safeLine(file)}\n`)
    await printParts(io, [...writes.map(format), ...broken])
  }
  return 0
}

function format({ id, at, what, input, origins, findings, diff }: StagedWrite): string {
  const lines = [
    `${id}  ${formatMoment(at)}  ${what}`,
    `reason: ${input.reason}`,
    ...(origins.length > 0 ? [`after reading: ${origins.join(', ')}`] : []),
    ...findings.map((each) => `the scan found: ${each}`),
  ]
  const body = diff === '' ? 'its folder goes to the archive' : safeBlock(diff.trimEnd())
  return `${lines.map(safeLine).join('\n')}\n${body}\n\n`
}

async function decide(
  deps: ManageDeps,
  word: 'approve' | 'reject',
  input: CliArguments,
  io: CliContext,
): Promise<number> {
  const [id = ''] = input.args
  const writes = id === 'all' ? (await deps.staged.list()).writes : [await deps.staged.find(id)]
  if (writes.length > 0 && !(await confirm(word, writes, input, io))) return 1
  const results: Result[] = []
  for (const each of writes) results.push(await decideOne(deps, word, each.id, io.signal))
  if (hasFlag(input, 'json')) printJson(io, { [word]: results })
  else if (results.length === 0) io.out('No change of the agent waits.\n')
  else for (const each of results) io.out(`${each.id}: ${safeLine('problem' in each ? each.problem : each.done)}\n`)
  return results.some((each) => 'problem' in each) ? 1 : 0
}

type Result = Decided | { readonly id: string; readonly problem: string }

function confirm(word: string, writes: readonly StagedWrite[], { options }: CliArguments, io: CliContext) {
  const verb = word === 'approve' ? 'Make' : 'Drop'
  const question = writes.length === 1 ? `${verb} this change?` : `${verb} these ${writes.length} changes?`
  return confirmCommand(io, question, options, () => io.out(writes.map(format).join('')))
}

/** One that cannot be made waits on, and the others are made. */
async function decideOne(deps: ManageDeps, word: string, id: string, signal: AbortSignal): Promise<Result> {
  const { approveWrite, rejectWrite } = await import('./decide.ts')
  try {
    return await (word === 'approve' ? approveWrite(deps, id, signal) : rejectWrite(deps, id))
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    deps.log.info('a change of a skill was not made', { id, error })
    return { id, problem: error.message }
  }
}
