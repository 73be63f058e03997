/** `svc approvals`: open questions and permanent grants. */
import { type ApprovalChoice, type CliCommand, type CliContext, SvcError } from 'svc/sdk'
import { CHOICES, type RemoteRequest } from './remote.ts'
import type { ApprovalStore } from './store.ts'

/** What the command works on. */
export interface ApprovalsDeps {
  readonly store: ApprovalStore
  /** What waits in running processes. */
  readonly pending: () => Promise<readonly RemoteRequest[]>
  /** Answers where it waits. */
  readonly answer: (id: string, choice: ApprovalChoice) => Promise<void>
}

type Form = 'json' | 'text'

const json = { flags: '--json', description: 'As JSON' }

export function approvalsCommand(deps: ApprovalsDeps): CliCommand {
  const { store } = deps
  return {
    name: 'approvals',
    description: 'Answer open questions; list and take back what may be done without asking.',
    options: [json],
    examples: ['approvals pending', 'approvals answer 1f0c9a2e once', 'approvals list', 'approvals revoke 1f0c9a2e'],
    run: async (input, io) => list(store, io, chooseForm(input)),
    subcommands: [
      {
        name: 'pending',
        description: 'List the questions that wait for an answer',
        options: [json],
        run: async (input, io) => pending(deps, io, chooseForm(input)),
      },
      {
        name: 'answer',
        description: 'Answer a question of another svc: once, session, project, always or deny',
        arguments: '<id> <choice>',
        options: [json],
        examples: ['approvals answer 1f0c9a2e once'],
        run: async (input, io) => answer(deps, input.args, io, chooseForm(input)),
      },
      {
        name: 'list',
        description: 'List permanently allowed commands',
        options: [json],
        run: async (input, io) => list(store, io, chooseForm(input)),
      },
      {
        name: 'revoke',
        description: 'Revoke a permanent permission',
        arguments: '<id>',
        options: [json],
        run: async (input, io) => revoke(store, input.args, io, chooseForm(input)),
      },
    ],
  }
}

function chooseForm({ options }: { readonly options: Readonly<Record<string, unknown>> }): Form {
  return options['json'] === true ? 'json' : 'text'
}

async function pending(deps: ApprovalsDeps, io: CliContext, form: Form): Promise<void> {
  const requests = await deps.pending()
  if (form === 'json') {
    io.out(`${JSON.stringify(requests)}\n`)
    return
  }
  if (!requests.length) io.out('No question waits for an answer.\n')
  for (const { id, tool, action, reason, choices, covers, expiresAt, pid, command } of requests) {
    const until = new Date(expiresAt).toISOString().slice(11, 19)
    io.out(`${id}  ${tool} ${JSON.stringify(action)} (${command}, process ${pid})\n`)
    io.out(`  It ${reason}. ${choices.join(', ')}; until ${until} UTC\n`)
    if (covers !== undefined) io.out(`  An answer for longer than once covers ${covers}.\n`)
  }
}

async function answer(
  deps: ApprovalsDeps,
  [given = '', choice = '']: readonly string[],
  io: CliContext,
  form: Form,
): Promise<void> {
  const wanted = CHOICES.find((each) => each === choice)
  if (!given || !wanted)
    throw new SvcError('CLI_USAGE', `Say which and how: svc approvals answer ID ${CHOICES.join('|')}.`)
  const id = completeId(await deps.pending(), given)
  await deps.answer(id, wanted)
  io.out(form === 'json' ? `${JSON.stringify({ id, choice: wanted })}\n` : `Answered ${id}: ${wanted}.\n`)
}

/** The beginning of an id will do when no other begins like it. */
function completeId(pending: readonly RemoteRequest[], given: string): string {
  const [id, ...more] = pending.flatMap((each) => (each.id.startsWith(given) ? [each.id] : []))
  if (more.length) throw new SvcError('CLI_USAGE', `Several questions begin with ${given}: write more of the id.`)
  return id ?? given
}

function revoke(store: ApprovalStore, [id]: readonly string[], io: CliContext, form: Form): void {
  if (!id) throw new SvcError('CLI_USAGE', 'Name the grant: svc approvals revoke ID.')
  store.revoke(id)
  io.out(form === 'json' ? `${JSON.stringify({ revoked: id })}\n` : `Revoked ${id}: it will be asked again.\n`)
}

function list(store: ApprovalStore, io: CliContext, form: Form): void {
  const grants = store.grants()
  if (form === 'json') {
    io.out(`${JSON.stringify(grants)}\n`)
    return
  }
  if (!grants.length) io.out('Nothing was allowed for ever. Dangerous commands are asked about each time.\n')
  for (const { id, scope, action, cwd, covers, grantedBy, grantedAt } of grants)
    io.out(
      `${id}  ${new Date(grantedAt).toISOString().slice(0, 10)}  ${scope}  ${JSON.stringify(action)} in ${cwd} (${grantedBy})\n  It covers ${covers}.\n`,
    )
}
