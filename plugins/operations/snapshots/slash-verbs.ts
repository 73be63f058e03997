/** What `/snapshot` does. A restore waits for the end of the process, which has the databases open. */
import { spawnSync } from 'node:child_process'
import { type CommandContext, errorMessage, Home, logFault, type PluginContext, type Translate } from 'svc/sdk'
import { isConfirmation } from 'svc/sdk/kit/commands'
import { formatMegabytes, formatMoment } from 'svc/sdk/kit/terminal'
import type { Snapshots } from 'svc/sdk/operations'
import { parseCount } from './count.ts'
import type { Pending, SlashRun, Verb } from './slash.ts'

type Context = PluginContext<undefined>

interface VerbDeps {
  readonly snapshots: Snapshots
  readonly pending: Pending
  readonly t: Translate
}

export function createSlash(ctx: Context, given: VerbDeps): Readonly<Record<Verb, SlashRun>> {
  const { snapshots, pending, t } = given
  const verbs: Readonly<Record<Verb, SlashRun>> = {
    async list(_, { signal }) {
      const all = await snapshots.list(signal)
      if (all.length === 0) return t('There are no snapshots. /snapshot create takes one.')
      const lines = all.map(({ number, id, created, bytes, label }) => {
        const facts = [
          formatMoment(Date.parse(created)),
          formatMegabytes(bytes),
          ...(label === undefined ? [] : [label]),
        ]
        return `${number}. \`${id}\` ${facts.join(', ')}`
      })
      return lines.join('\n')
    },
    async create(words, { signal }) {
      const { id, files, bytes, warnings, removed } = await snapshots.create(words.join(' '), signal)
      const made = t(
        'Snapshot {id}: {files, plural, one {# file} other {# files}}, {size}. It holds keys in plain text.',
        {
          ...{ id, files, size: formatMegabytes(bytes) },
        },
      )
      const gone =
        removed > 0 ? [t('{removed, plural, one {# older one} other {# older ones}} removed.', { removed })] : []
      return [made, ...gone, ...warnings].join('\n')
    },
    restore: (words, at) => restore(ctx, given, { words, at }),
    async cancel() {
      if (pending.id === undefined) return t('No restore waits.')
      pending.id = undefined
      return t('Nothing is restored.')
    },
    async prune(words, at) {
      const keep = parseCount(words.find((word) => !isConfirmation(word)))
      const count = Math.max(0, (await snapshots.list(at.signal)).length - keep)
      const question = t('Remove {count, plural, one {# snapshot} other {# snapshots}} and keep the newest {keep}?', {
        ...{ count, keep },
      })
      if (count > 0 && !(await isSure(words, at, question))) return t('Nothing was changed.')
      return t('{removed, plural, one {# snapshot} other {# snapshots}} removed.', {
        removed: await snapshots.prune(keep),
      })
    },
  }
  return verbs
}

async function restore(
  ctx: Context,
  { snapshots, pending, t }: VerbDeps,
  { words, at }: { readonly words: readonly string[]; readonly at: CommandContext },
): Promise<string> {
  const which = words.find((word) => !isConfirmation(word))
  if (which === undefined) return t('Name a snapshot: /snapshot restore 1. /snapshot list shows their numbers.')
  try {
    const snapshot = await snapshots.find(which, at.signal)
    await snapshots.check(snapshot, at.signal)
    const question = t(
      'Restore the state of {id} when svc ends here? Settings, keys, memories and sessions are then as they were; the present state is in a new snapshot.',
      { id: snapshot.id },
    )
    if (!(await isSure(words, at, question))) return t('Nothing was changed.')
    const home = ctx.use(Home)
    if (!pending.isListening) process.once('exit', () => restoreAtEnd(home, pending))
    pending.isListening = true
    pending.id = snapshot.id
    return t('Snapshot {id} is restored when svc ends here. /quit ends it, /snapshot cancel keeps the present state.', {
      id: snapshot.id,
    })
  } catch (error) {
    at.signal.throwIfAborted()
    logFault(ctx.log, '/snapshot restore failed', error)
    return errorMessage(error)
  }
}

async function isSure(
  words: readonly string[],
  { person, signal }: CommandContext,
  question: string,
): Promise<boolean> {
  return words.some(isConfirmation) || (await person.confirm(question, { signal })) === true
}

/** A process of its own, as no database is open in it. What it says goes to the terminal. */
function restoreAtEnd({ profile = 'default' }: Home, { id }: Pending): void {
  if (id === undefined) return
  const words = ['--profile', profile, 'snapshot', 'restore', id, '--yes']
  spawnSync(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...words], { stdio: 'inherit' })
}
