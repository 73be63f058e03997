/** `svc approvals`: permanent grants. */
import { type CliCommand, type CliIo, SvcError } from 'svc/sdk'
import type { ApprovalStore } from './store.ts'

const json = { flags: '--json', description: 'As JSON' }

export function approvalsCommand(store: ApprovalStore): CliCommand {
  return {
    name: 'approvals',
    description: 'What may be done without asking: list it, take it back.',
    options: [json],
    examples: ['approvals list', 'approvals revoke 1f0c9a2e'],
    run: async ({ options }, io) => list(store, io, options['json'] === true ? 'json' : 'text'),
    subcommands: [
      {
        name: 'list',
        description: 'List what was allowed for ever',
        options: [json],
        run: async ({ options }, io) => list(store, io, options['json'] === true ? 'json' : 'text'),
      },
      {
        name: 'revoke',
        description: 'Ask again before this',
        arguments: '<id>',
        options: [json],
        run: async ({ args: [id], options }, io) => {
          if (!id) throw new SvcError('CLI_USAGE', 'Name the grant: svc approvals revoke ID.')
          store.revoke(id)
          io.out(
            options['json'] === true
              ? `${JSON.stringify({ revoked: id })}\n`
              : `Revoked ${id}: it will be asked again.\n`,
          )
        },
      },
    ],
  }
}

function list(store: ApprovalStore, io: CliIo, format: 'json' | 'text'): void {
  const grants = store.grants()
  if (format === 'json') {
    io.out(`${JSON.stringify(grants)}\n`)
    return
  }
  if (!grants.length) io.out('Nothing was allowed for ever. Dangerous commands are asked about each time.\n')
  for (const { id, action, cwd, grantedBy, grantedAt } of grants)
    io.out(
      `${id}  ${new Date(grantedAt).toISOString().slice(0, 10)}  ${JSON.stringify(action)} in ${cwd} (${grantedBy})\n`,
    )
}
