/** `svc skills sync`, `svc skills opt-out` and `svc skills opt-in`. */
import { type CliArguments, type CliCommand, type CliContext, confirmCommand, type PluginContext } from 'svc/sdk'
import { formatCount, hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { SyncResult } from './sync.ts'

type Context = PluginContext<undefined>

const json = { flags: '--json', description: 'The result as JSON' }

export function syncCommand(ctx: Context): CliCommand {
  return {
    name: 'skills sync',
    description: 'Copy new and updated built-in skills into the home. What you changed or deleted stays so.',
    options: [json],
    examples: ['skills sync', 'skills sync --json'],
    async run(input, io) {
      const { sync } = await import('./seeds.ts')
      showSync(await sync(ctx, { flush: true }), input, io)
    },
  }
}

export function optOutCommand(ctx: Context): CliCommand {
  return {
    name: 'skills opt-out',
    description:
      'Stop copying built-in skills into the home. With --remove, also delete those that you did not change; your own, edited and installed skills stay.',
    options: [
      { flags: '--remove', description: 'Delete the unchanged copies, after a preview' },
      { flags: '--yes', description: 'Do not ask' },
      json,
    ],
    examples: ['skills opt-out', 'skills opt-out --remove', 'skills opt-out --remove --yes'],
    run: (input, io) => optOut(ctx, input, io),
  }
}

export function optInCommand(ctx: Context): CliCommand {
  return {
    name: 'skills opt-in',
    description: 'Copy built-in skills again, from the next start on',
    options: [{ flags: '--sync', description: 'Copy them now' }, json],
    examples: ['skills opt-in', 'skills opt-in --sync'],
    async run(input, io) {
      const seeds = await import('./seeds.ts')
      const wasOut = await seeds.optIn(ctx)
      if (hasFlag(input, 'sync')) showSync(await seeds.sync(ctx, { flush: true }), input, io)
      else if (hasFlag(input, 'json')) printJson(io, { opted_out: false, changed: wasOut })
      else if (wasOut) io.out('Built-in skills are copied at the next start. `svc skills sync` copies them now.\n')
      else io.out('Built-in skills were not switched off. `svc skills sync` copies what is missing.\n')
    },
  }
}

async function optOut(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const seeds = await import('./seeds.ts')
  const plan = hasFlag(input, 'remove') ? await seeds.previewRemoval(ctx) : undefined
  const names = plan?.remove.map(({ name }) => name) ?? []
  if (plan && names.length > 0) {
    const question = `Delete ${formatCount(names.length, 'built-in skill')} that you did not change?`
    const show = () => {
      io.out(`To be deleted: ${names.join(', ')}\n`)
      if (plan.modified.length > 0) io.out(`Kept, because you changed them: ${plan.modified.join(', ')}\n`)
    }
    if (!(await confirmCommand(io, question, input.options, show))) return 1
  }
  const removed = await seeds.optOut(ctx, plan)
  if (hasFlag(input, 'json')) {
    printJson(io, { opted_out: true, removed, user_modified: plan?.modified ?? [] })
    return 0
  }
  if (removed.length > 0) io.out(`Deleted: ${removed.join(', ')}\n`)
  const changed = plan?.modified ?? []
  if (changed.length > 0) io.out(`Kept, because you changed them: ${changed.join(', ')}\n`)
  io.out('Built-in skills are no longer copied into this home. `svc skills opt-in --sync` brings them back.\n')
  if (!plan) io.out('Those that are here stay; `svc skills opt-out --remove` deletes the unchanged ones.\n')
  return 0
}

function showSync(result: SyncResult, input: CliArguments, io: CliContext): void {
  if (hasFlag(input, 'json')) printJson(io, result)
  else if (result.skipped_opt_out)
    io.out('Nothing was copied: this home has no built-in skills. `svc skills opt-in --sync` brings them back.\n')
  else io.out(formatResult(result))
}

function formatResult(result: SyncResult): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Copied', result.copied],
    ['Updated; the version before is in skills/.bak', result.updated],
    ['Kept, because you changed them', result.user_modified],
    ['No longer part of svc; they are yours now', result.cleaned],
    ['Retired by the curator', result.suppressed],
    ['Not copied, because a folder of yours has a skill of that name', result.shadowed_by_external],
  ]
  const lines = parts.flatMap(([title, names]) => (names.length > 0 ? [`${title}: ${names.join(', ')}\n`] : []))
  const count = result.copied.length + result.updated.length
  const total = formatCount(result.total_bundled, 'built-in skill')
  return [...lines, count > 0 ? `${count} of ${total} changed.\n` : `All ${total} are up to date.\n`].join('')
}
