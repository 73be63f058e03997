/** `svc auth remove`, `logout`, `restore` and `reset`. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { type CredentialInfo, Credentials } from 'svc/sdk/provider'
import { findKeys } from './find.ts'
import { keyLine } from './key-line.ts'

type Context = PluginContext<undefined>

/** By id or label; without one, the only key there is. */
export async function remove(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [name = '', ...wanted] = input.args
  const { provider, keys } = await findKeys(ctx, name)
  if (wanted.length === 0 && keys.length !== 1) throw unclear(provider, keys, 'Name the key to remove')
  const found = wanted.length === 0 ? keys : wanted.map((word) => findKey(provider, keys, word))
  return removeAll(ctx, input, io, { provider, keys: [...new Set(found)] })
}

/** All that is kept of a provider. */
export async function logout(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  return removeAll(ctx, input, io, await findKeys(ctx, input.args[0] ?? ''))
}

export async function restore(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const back = await ctx.use(Credentials).restore(input.args)
  if (hasFlag(input, 'json')) printJson(io, back)
  else for (const key of back) io.out(`Back for ${key.provider}: ${keyLine(ctx, key)}\n`)
  return 0
}

export async function reset(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { provider } = await findKeys(ctx, input.args[0] ?? '')
  const keys = await ctx.use(Credentials).reset(provider)
  if (hasFlag(input, 'json')) printJson(io, { reset: keys.map(({ id }) => id) })
  else if (keys.length === 0) io.out(`No key of ${provider} rests or was given up.\n`)
  else io.out(`Used again: ${keys.map(({ id, label }) => `${label} (${id})`).join(', ')}.\n`)
  return 0
}

async function removeAll(
  ctx: Context,
  input: CliArguments,
  io: CliContext,
  { provider, keys }: { readonly provider: string; readonly keys: readonly CredentialInfo[] },
): Promise<number> {
  const ids = keys.map(({ id }) => id)
  if (ids.length === 0) {
    if (hasFlag(input, 'json')) printJson(io, { removed: [] })
    else io.out(`No key of ${provider} is kept; nothing was removed.\n`)
    return 0
  }
  if (!(await isConfirmed(ctx, input, io, keys))) return 1
  await ctx.use(Credentials).remove(provider, ids)
  const undo = `svc auth restore ${ids.join(' ')}`
  if (hasFlag(input, 'json')) printJson(io, { removed: ids, undo })
  else io.out(`Removed ${formatKeyCount(ids.length)} of ${provider}. To undo it within a day: ${undo}\n`)
  return 0
}

/** Throws `CLI_CONFIRM` if no person can be asked. */
function isConfirmed(
  ctx: Context,
  input: CliArguments,
  io: CliContext,
  keys: readonly CredentialInfo[],
): Promise<boolean> {
  return confirmCommand(io, `Remove ${formatKeyCount(keys.length)} of ${keys[0]?.provider}?`, input.options, () => {
    for (const key of keys) io.out(`${keyLine(ctx, key)}\n`)
  })
}

function findKey(provider: string, keys: readonly CredentialInfo[], word: string): CredentialInfo {
  const [found, ...others] = keys.filter(({ id, label }) => id === word || label === word)
  if (found && others.length === 0) return found
  throw unclear(provider, keys, found ? `Several keys are called "${word}"` : `There is no key "${word}"`)
}

function unclear(provider: string, keys: readonly CredentialInfo[], what: string): SvcError {
  const there = keys.map(({ id, label }) => `${id} (${label})`).join(', ')
  const list = there === '' ? 'none is kept' : `there are ${there}`
  return new SvcError('AUTH_KEY_UNCLEAR', `${what}. Of ${provider} ${list}. Nothing was removed.`)
}

function formatKeyCount(count: number): string {
  return count === 1 ? 'one key' : `${count} keys`
}
