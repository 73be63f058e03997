/** `svc tools enable|disable`: writes which tools are on into config.yaml. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { checkNames, getToolsets, readSurface } from './names.ts'

/** Writes all of the names or, when one is not known, none. */
export async function switchTools(
  ctx: PluginContext<undefined>,
  to: 'on' | 'off',
  input: CliArguments,
  io: CliContext,
): Promise<number> {
  const names = [...new Set(input.args)]
  const surface = await readSurface(ctx, input)
  await checkNames(ctx, names)
  const edits = getToolsets(ctx).edits(
    names.map((name) => ({ name, to })),
    surface,
  )
  const author = { author: 'tools-cli', reason: `svc tools ${to === 'on' ? 'enable' : 'disable'}` }
  const change = edits.length > 0 ? await ctx.use(ConfigFile).write(edits, author) : undefined
  const where = surface === undefined ? 'everywhere' : `for ${surface}`
  const now = `${names.join(', ')}: ${to} ${where}.`
  io.out(change ? `${now} Take it back with \`svc config undo\`.\n` : `${now} No change.\n`)
  return 0
}
