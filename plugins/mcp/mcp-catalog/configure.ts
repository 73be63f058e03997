/** `svc mcp configure`: missing variables of a server, and which of its tools models can call. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { askTools, parseTools, preselect, probeTools, type ToolChoice } from './choose-tools.ts'
import { writeChoice } from './install.ts'
import { askKeys } from './keys.ts'
import { type CatalogRow, readServers, readView } from './rows.ts'
import { getChosenTools } from './server.ts'

type Context = PluginContext<undefined>

/** Works for any server of config.yaml. On a terminal it asks; `--tools` and `--all-tools` say it. */
export async function configure(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const name = (input.args[0] ?? '').replace(/^official\//, '')
  const settings = (await readServers(ctx))[name]
  if (settings === undefined) {
    const message = `config.yaml has no MCP server "${name}". Install one with \`svc mcp install\`, or see \`svc mcp list\`.`
    throw new SvcError('MCP_CATALOG_UNKNOWN', message, { status: 404 })
  }
  const row = (await readView(ctx)).rows.find(({ manifest }) => manifest.name === name)
  const choice = await choose(ctx, { name, settings, row }, input, io)
  const isChanged = await writeChoice(ctx, name, choice)
  const chosen = getChosenTools((await readServers(ctx))[name])
  if (hasFlag(input, 'json')) printJson(io, { ok: true, name, changed: isChanged, include: chosen ?? null })
  else if (!isChanged) io.out('Nothing was changed.\n')
  else if (chosen) io.out(`Models can call ${chosen.join(', ')} of ${name}.\n`)
  else io.out(`Models can call all tools of ${name}.\n`)
  return 0
}

interface Subject {
  readonly name: string
  readonly settings: unknown
  readonly row: CatalogRow | undefined
}

async function choose(ctx: Context, subject: Subject, input: CliArguments, io: CliContext): Promise<ToolChoice> {
  const { name, settings, row } = subject
  const { tools, allTools } = input.options
  if (allTools === true) return 'all'
  // Names are taken as they are: a server that cannot be asked now can be configured, too.
  if (typeof tools === 'string') return parseTools(tools, undefined)
  if (!io.interactive || hasFlag(input, 'json')) {
    const message = 'There is no terminal to ask on. Name the tools: --tools read,search; or --all-tools.'
    throw new SvcError('CLI_USAGE', message)
  }
  if (row && row.state !== 'other') {
    const keys = await askKeys(ctx, row.manifest, io)
    const by = { author: 'mcp-catalog', reason: `svc mcp configure ${name}` }
    if (keys.length > 0) {
      await ctx.use(ConfigFile).write(keys, by)
      await ctx.use(Plugins).applyConfig()
    }
  }
  const offered = await probeTools(ctx, name, io)
  if (!offered || offered.length === 0) return 'keep'
  return askTools(offered, preselect(offered, getChosenTools(settings), row?.manifest.tools.default_enabled), io)
}
