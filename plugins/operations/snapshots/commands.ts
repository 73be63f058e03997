/** What the subcommands of `svc snapshot` do. */
import { type CliArguments, type CliContext, confirmCommand } from 'svc/sdk'
import { formatColumns, formatCount, formatMegabytes, formatMoment, hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { Snapshot, Snapshots } from 'svc/sdk/operations'
import { parseCount } from './count.ts'

type Run = (input: CliArguments, io: CliContext) => Promise<number>

export function createCommands(snapshots: Snapshots): Readonly<Record<Verb, Run>> {
  return {
    async list(input, io) {
      const found = await snapshots.list(io.signal)
      if (hasFlag(input, 'json')) printJson(io, found)
      else if (found.length === 0) io.err('There are no snapshots. Take one: svc snapshot create\n')
      for (const line of hasFlag(input, 'json') ? [] : formatColumns(found.map(toRow))) io.out(`${line}\n`)
      return 0
    },
    async create(input, io) {
      const made = await snapshots.create(input.args.join(' '), io.signal)
      const { id, files, bytes, warnings, removed } = made
      if (hasFlag(input, 'json')) {
        printJson(io, { ok: true, ...made })
        return 0
      }
      for (const warning of warnings) io.err(`${warning}\n`)
      io.out(`Snapshot ${id}: ${formatCount(files, 'file')}, ${formatMegabytes(bytes)}. It holds keys in plain text.\n`)
      if (removed > 0) io.out(`${formatCount(removed, 'older snapshot')} removed.\n`)
      return 0
    },
    async restore(input, io) {
      const snapshot = await snapshots.find(input.args[0] ?? '', io.signal)
      await snapshots.check(snapshot, io.signal)
      const question = `Bring back the state of ${describe(snapshot)}? The present state is in a new snapshot then.`
      if (!(await confirmCommand(io, question, input.options))) return 1
      const { files, before, previous } = await snapshots.restore(snapshot, io.signal)
      if (hasFlag(input, 'json')) printJson(io, { ok: true, id: snapshot.id, files, before, previous })
      else
        io.out(
          `The state is that of snapshot ${snapshot.id}. To undo this: svc snapshot restore ${before}, or svc backup restore --undo\n`,
        )
      return 0
    },
    async prune(input, io) {
      const keep = parseCount(input.args[0])
      const count = Math.max(0, (await snapshots.list(io.signal)).length - keep)
      const question = `Remove ${formatCount(count, 'snapshot')} and keep the newest ${keep}?`
      if (count > 0 && !(await confirmCommand(io, question, input.options))) return 1
      const removed = await snapshots.prune(keep)
      if (hasFlag(input, 'json')) printJson(io, { ok: true, removed })
      else io.out(`${formatCount(removed, 'snapshot')} removed.\n`)
      return 0
    },
  }
}

type Verb = 'list' | 'create' | 'restore' | 'prune'

function toRow({ number, id, created, bytes, label = '' }: Snapshot) {
  return [String(number), id, formatMoment(Date.parse(created)), formatMegabytes(bytes), label]
}

function describe({ id, label }: Snapshot): string {
  return label === undefined ? `snapshot ${id}` : `snapshot ${id} (${label})`
}
