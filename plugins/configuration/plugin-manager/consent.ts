/** Consent to code: what a person is shown, and what is recorded. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { formatCount, hasFlag, paint, safeLine } from 'svc/sdk/kit/terminal'
import { type ConsentState, type ConsentSubject, Consents } from 'svc/sdk/safety'
import { differenceLines } from './code-difference.ts'
import { abilities } from './plugin-relations.ts'
import { isForeign } from './switches.ts'

type Context = PluginContext<undefined>

/** What was agreed to, as programs are told it. */
export interface Agreed {
  readonly origin: PluginInfo['origin']
  readonly path: string
  readonly hash: string
  /** Any later code in this place runs, too. */
  readonly development: boolean
}

/**
 * Asks for consent to the code of a foreign plugin that is not agreed to yet, and records the answer: `declined` after
 * a no. Undefined if there is nothing to agree to. Throws `CLI_CONFIRM` if no person can be asked.
 */
export async function agreement(
  ctx: Context,
  info: PluginInfo,
  input: CliArguments,
  io: CliContext,
): Promise<Agreed | 'declined' | undefined> {
  if (!isForeign(info.origin)) return undefined
  const state = await ctx.use(Consents).inspect(info)
  const development = hasFlag(input, 'trustChanges')
  if (state.agreed === (development ? 'development' : 'yes')) return undefined
  if (!hasFlag(input, 'json')) card(io, info, state, development)
  const what =
    state.agreed === 'changed' ? `Let the changed ${info.manifest.name} run?` : `Let ${info.manifest.name} run?`
  if (!(await confirmCommand(io, what, input.options))) return 'declined'
  return record(ctx, info, state.hash, development)
}

/** Records consent to the code with this hash. Throws `CONSENT_CHANGED` when the folder holds other code by now. */
export async function record(
  ctx: Context,
  subject: ConsentSubject,
  hash: string,
  development = false,
): Promise<Agreed> {
  const consents = ctx.use(Consents)
  await consents.agree(subject, hash, { development })
  const { path } = await consents.inspect(subject)
  return { origin: subject.origin, path, hash, development }
}

/** Where the code comes from, and which code it is. */
export function codeLines({ path, files, hash }: Pick<ConsentState, 'path' | 'files' | 'hash'>): string[] {
  return [`its code: ${path} (${formatCount(files, 'file')}, SHA-256 ${hash.slice(0, 16)})`]
}

function card(io: CliContext, { manifest, origin }: PluginInfo, state: ConsentState, development: boolean): void {
  io.out(`${safeLine(`${manifest.name} ${manifest.version} (${origin}): ${manifest.description}`)}\n`)
  for (const line of [...codeLines(state), ...abilities(manifest)]) io.out(`  ${safeLine(line)}\n`)
  if (state.agreed === 'changed') {
    io.out('What changed since you agreed\n')
    for (const line of differenceLines(state.changes)) io.out(`  ${line}\n`)
  }
  if (development)
    io.out(`  ${paint(io, 'yellow', 'Whatever will be in this folder later runs without a question.')}\n`)
}
