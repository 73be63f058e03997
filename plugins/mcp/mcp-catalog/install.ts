/** `svc mcp install`: an entry of the catalogue becomes a server of config.yaml, as a whole or not at all. */
import {
  type CliArguments,
  type CliContext,
  Clock,
  confirmCommand,
  errorMessage,
  type PluginContext,
  Random,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { type ConfigEdit, ConfigFile, Plugins } from 'svc/sdk/host'
import { hasFlag, printJson, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import { McpServers } from 'svc/sdk/mcp'
import { formatCard } from './card.ts'
import { askTools, preselect, probeTools, type ToolChoice } from './choose-tools.ts'
import { clone } from './clone.ts'
import { replaceFolder } from './folder.ts'
import { askKeys } from './keys.ts'
import type { CatalogManifest } from './manifest.ts'
import { type RunDeps, runProgram } from './program-run.ts'
import { type CatalogRow, findInstallRoot, findRow, readServers } from './rows.ts'
import { createServer, getChosenTools, serverEdits, toolEdits } from './server.ts'

type Context = PluginContext<undefined>

const AUTHOR = 'mcp-catalog'

/** Exit code 1 when a person declined. */
export async function install(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const row = await findRow(ctx, input.args[0] ?? '')
  const { manifest, dir } = row
  const isJson = hasFlag(input, 'json')
  if (!isJson) for (const line of formatCard(manifest, dir)) io.out(`${line}\n`)
  if (!(await agree(row, input, io))) return 1
  const commit = await placeServer(
    ctx,
    row,
    await askKeys(ctx, manifest, isJson ? { ...io, interactive: false } : io),
    io,
  )
  const asks = io.interactive && !isJson
  // What talks to servers learns of the new one, and of its keys.
  if (asks) await ctx.use(Plugins).applyConfig()
  if (asks) await signIn(ctx, manifest, io)
  if (asks && !hasFlag(input, 'yes')) await choose(ctx, row, io)
  if (isJson) printJson(io, { ok: true, name: manifest.name, ...(commit !== undefined && { dir, commit }) })
  else tellNext(manifest, asks, io)
  return 0
}

/** Only a server that is installed and enabled as it is may be written again without a yes: it runs already. */
async function agree({ manifest, state }: CatalogRow, input: CliArguments, io: CliContext): Promise<boolean> {
  const { name, install: from, transport } = manifest
  if (state === 'other') {
    const question = `config.yaml has another server ${name}, or an earlier one. Replace it?`
    return confirmCommand(io, question, input.options)
  }
  if (from) {
    const what = from.bootstrap.length > 0 ? 'Clone it and run these commands?' : 'Clone it?'
    return confirmCommand(io, what, input.options)
  }
  if (state === 'enabled') return true
  const what = transport.type === 'stdio' ? 'run this command' : 'connect to this address'
  return confirmCommand(io, `Install it? svc will ${what}.`, input.options)
}

/** Writes the clone and the settings. Resolves to the commit of the clone. */
export async function placeServer(
  ctx: Context,
  { manifest, dir, state }: CatalogRow,
  keys: readonly ConfigEdit[],
  io: Pick<CliContext, 'err' | 'signal'>,
): Promise<string | undefined> {
  const { name, install: from } = manifest
  const secrets = ctx.use(Secrets)
  const isSet = (variable: string) => secrets.get(variable) !== undefined || keys.some((edit) => edit.path === variable)
  const server = createServer(manifest, dir, isSet)
  const problems = ctx.find(McpServers)?.check(name, server) ?? []
  if (problems.length > 0) throw new SvcError('MCP_CATALOG_MANIFEST', `${name} is refused: ${problems.join(' ')}`)
  const isFirst = state === 'available' || state === 'other'
  const tools =
    isFirst && manifest.tools.default_enabled ? toolEdits(name, undefined, manifest.tools.default_enabled) : []
  const write = async () => {
    const reason = `svc mcp install ${name}`
    await ctx
      .use(ConfigFile)
      .write([...keys, ...serverEdits(name, server, state), ...tools], { author: AUTHOR, reason })
  }
  if (!from) {
    await write()
    return undefined
  }
  const deps = { clock: ctx.use(Clock), secrets, signal: io.signal }
  const root = { root: findInstallRoot(ctx), clock: ctx.use(Clock), random: ctx.use(Random) }
  return replaceFolder(root, name, (target) => fill(manifest, target, deps, io), write)
}

async function fill(
  manifest: CatalogManifest,
  dir: string,
  deps: RunDeps,
  io: Pick<CliContext, 'err'>,
): Promise<string> {
  const { install: from } = manifest
  if (!from) throw new Error('the entry has no repository')
  io.err(`Cloning ${safeLine(from.url)} at ${safeLine(from.ref)}\n`)
  const commit = await clone(from, dir, deps)
  for (const command of from.bootstrap) {
    io.err(`Running: ${safeLine(command)}\n`)
    const end = await runProgram({ command, cwd: dir, env: { INSTALL_DIR: dir } }, deps)
    if (end.code === 0) continue
    const said = safeBlock(end.said.trim().slice(-2000)) || 'it said nothing'
    const how = end.code === undefined ? 'was ended' : `failed with exit code ${end.code}`
    throw new SvcError('MCP_CATALOG_BOOTSTRAP', `"${command}" ${how}. Nothing was installed. It said:\n${said}`)
  }
  return commit
}

/** Without it a server that wants a sign-in offers nothing yet. */
async function signIn(ctx: Context, { name, auth }: CatalogManifest, io: CliContext): Promise<void> {
  const servers = ctx.find(McpServers)
  if (!servers || auth.type !== 'oauth' || auth.env_var !== undefined) return
  const answer = (await io.ask(`Sign in to ${name} now? [Y/n] `))?.trim().toLowerCase()
  if (answer === undefined || answer.startsWith('n')) return
  try {
    await servers.login(name, {
      signal: io.signal,
      show: (url) => io.err(`Open this address in a browser:\n${safeLine(url)}\n`),
      ask: (signal) => io.ask('On another machine: paste the address that the browser was sent to: ', { signal }),
    })
  } catch (error) {
    io.signal.throwIfAborted()
    ctx.log.warn(`the sign-in to the MCP server ${name} failed`, { error })
    io.err(`The sign-in failed: ${errorMessage(error)}\n`)
  }
}

async function choose(ctx: Context, { manifest }: CatalogRow, io: CliContext): Promise<void> {
  const { name } = manifest
  const offered = await probeTools(ctx, name, io)
  if (!offered || offered.length === 0) return
  const settings = (await readServers(ctx))[name]
  const chosen = await askTools(
    offered,
    preselect(offered, getChosenTools(settings), manifest.tools.default_enabled),
    io,
  )
  await writeChoice(ctx, name, chosen)
}

/** Resolves to whether something was written. */
export async function writeChoice(ctx: Context, name: string, choice: ToolChoice): Promise<boolean> {
  if (choice === 'keep') return false
  const settings = (await readServers(ctx))[name]
  const edits = toolEdits(name, settings, choice === 'all' ? undefined : choice.include)
  const by = { author: AUTHOR, reason: `choose the tools of ${name}` }
  return (await ctx.use(ConfigFile).write(edits, by)) !== undefined
}

function tellNext({ name, auth, post_install: text }: CatalogManifest, asked: boolean, io: CliContext): void {
  io.out(`${name} is installed and enabled.\n`)
  if (text !== undefined) io.out(`${safeBlock(text).trim()}\n`)
  if (auth.type === 'oauth' && auth.env_var === undefined && !asked) io.out(`Sign in: svc mcp login ${name}\n`)
  io.out(`Choose its tools: svc mcp configure ${name}\nRemove it: svc mcp uninstall ${name}\n`)
}
