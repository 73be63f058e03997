/** `svc mcp uninstall`: takes a server out of config.yaml, and its clone off the disk. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { McpServers } from 'svc/sdk/mcp'
import { findInstalled, removeInstalled } from './folder.ts'
import { findInstallRoot, readServers } from './rows.ts'
import { serverPath } from './server.ts'

/** Exit code 1 when a person declined. */
export async function uninstall(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const name = (input.args[0] ?? '').replace(/^official\//, '')
  const root = findInstallRoot(ctx)
  const isServer = (await readServers(ctx))[name] !== undefined
  const folder = findInstalled(root, name)
  const isClone = folder !== undefined
  if (!isServer && !isClone)
    throw new SvcError('MCP_CATALOG_UNKNOWN', `There is no MCP server "${name}" here. See \`svc mcp catalog\`.`, {
      status: 404,
    })
  const what = [...(isServer ? ['its settings'] : []), ...(isClone ? [`the folder ${folder}`] : [])].join(' and ')
  if (!(await confirmCommand(io, `Remove ${name}: ${what}?`, input.options))) return 1
  await removeServer(ctx, name)
  if (hasFlag(input, 'json')) printJson(io, { ok: true, name, settings: isServer, folder: isClone })
  else io.out(`${name} is removed. Keys that were typed for it stay in .env.\n`)
  return 0
}

/** Takes its settings and its clone away, where there are any. */
export async function removeServer(ctx: PluginContext<undefined>, name: string): Promise<void> {
  const by = { author: 'mcp-catalog', reason: `svc mcp uninstall ${name}` }
  const servers = ctx.find(McpServers)
  if ((await readServers(ctx))[name] !== undefined)
    if (servers) await servers.remove(name, by)
    else await ctx.use(ConfigFile).write([{ path: serverPath(name), value: undefined }], by)
  const root = findInstallRoot(ctx)
  if (findInstalled(root, name) !== undefined) removeInstalled(root, name)
}
