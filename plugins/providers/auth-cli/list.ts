/** `svc auth list`: the pool. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { Credentials } from 'svc/sdk/provider'
import { findKeys } from './find.ts'
import { keyLine } from './key-line.ts'

/** Provider by provider, in the order of use. */
export async function list(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const [name] = input.args
  const keys = name === undefined ? await ctx.use(Credentials).list() : (await findKeys(ctx, name)).keys
  if (hasFlag(input, 'json')) {
    printJson(io, keys)
    return 0
  }
  if (keys.length === 0)
    io.out(
      'No keys are kept here. Add one with `svc auth add <provider>`; `svc auth status` also has those in variables.\n',
    )
  for (const provider of new Set(keys.map((key) => key.provider))) {
    io.out(`${provider}\n`)
    for (const key of keys) if (key.provider === provider) io.out(`  ${keyLine(ctx, key)}\n`)
  }
  return 0
}
