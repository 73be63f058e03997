/** Which tools of a server models can call: a person's choice from what the server offers. */
import { type CliContext, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { formatCount, safeLine } from 'svc/sdk/kit/terminal'
import { McpServers } from 'svc/sdk/mcp'

/** A tool as the list of choices shows it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
}

/** `include` as config.yaml has it; `all` removes the filter, `keep` leaves it as it is. */
export type ToolChoice = { readonly include: readonly string[] } | 'all' | 'keep'

const HELP = 'Numbers switch (2 5-9), a: all, n: none, Enter: save, q: leave as it was.'
const MAX_DESCRIPTION = 70

/** What the server offers, or undefined after the reason was shown. */
export async function probeTools(
  ctx: PluginContext<undefined>,
  name: string,
  io: CliContext,
): Promise<readonly OfferedTool[] | undefined> {
  const servers = ctx.find(McpServers)
  if (!servers) return undefined
  io.err(`Asking ${name} for its tools; the first start may take a minute.\n`)
  try {
    const { tools } = await servers.probe(name, io.signal)
    return tools.map((tool) => ({ name: tool.name, description: tool.description }))
  } catch (error) {
    io.signal.throwIfAborted()
    ctx.log.warn(`the MCP server ${name} could not be asked for its tools`, { error })
    io.err(`${name} could not be asked for its tools: ${errorMessage(error)}\n`)
    return undefined
  }
}

/** The tools that are on before a person changes it: those of an earlier choice, else those of the entry, else all. */
export function preselect(
  offered: readonly OfferedTool[],
  earlier: readonly string[] | undefined,
  byDefault: readonly string[] | undefined,
): ReadonlySet<string> {
  const names = offered.map(({ name }) => name)
  const wanted = [earlier, byDefault].find((list) => list !== undefined && names.some((name) => list.includes(name)))
  return new Set(wanted ? names.filter((name) => wanted.includes(name)) : names)
}

/** A choice of all tools is no filter: tools that the server gets later are in it, too. */
export function toChoice(offered: readonly OfferedTool[], chosen: ReadonlySet<string>): ToolChoice {
  const include = offered.map(({ name }) => name).filter((name) => chosen.has(name))
  return include.length === offered.length ? 'all' : { include }
}

/** Shows the tools and reads what a person types until it is saved or left. */
export async function askTools(
  offered: readonly OfferedTool[],
  preselected: ReadonlySet<string>,
  io: CliContext,
): Promise<ToolChoice> {
  let chosen = new Set(preselected)
  for (;;) {
    for (const line of formatTools(offered, chosen)) io.out(`${line}\n`)
    const typed = (await io.ask(`${HELP}\n> `))?.trim().toLowerCase()
    if (typed === undefined || typed === 'q') return 'keep'
    if (typed === 'a') chosen = new Set(offered.map(({ name }) => name))
    else if (typed === 'n') chosen = new Set()
    else if (typed !== '') toggle(typed, offered, chosen, io)
    else if (chosen.size > 0) return toChoice(offered, chosen)
    else io.out('Choose at least one tool, or leave with q and disable the server.\n')
  }
}

function formatTools(offered: readonly OfferedTool[], chosen: ReadonlySet<string>): string[] {
  const lines = offered.map(({ name, description }, at) => {
    const text = safeLine(description)
    const short = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text
    return `${String(at + 1).padStart(4)} [${chosen.has(name) ? 'x' : ' '}] ${safeLine(name)}  ${short}`
  })
  return [...lines, `${chosen.size} of ${formatCount(offered.length, 'tool')}`]
}

function toggle(typed: string, offered: readonly OfferedTool[], chosen: Set<string>, io: CliContext): void {
  for (const word of typed.split(/[\s,]+/)) {
    const [, from = '', to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(word) ?? []
    const picked =
      from === ''
        ? offered.filter(({ name }) => name.toLowerCase() === word)
        : offered.slice(Math.max(0, Number(from) - 1), Number(to))
    if (picked.length === 0) io.out(`There is no tool ${safeLine(word)}.\n`)
    for (const { name } of picked) if (!chosen.delete(name)) chosen.add(name)
  }
}

/** Names that were typed as `--tools a,b`; with `offered` each must be one of them. Throws `MCP_CATALOG_TOOLS`. */
export function parseTools(typed: string, offered: readonly OfferedTool[] | undefined): ToolChoice {
  const names = [...new Set(typed.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length === 0) throw new SvcError('MCP_CATALOG_TOOLS', 'Name at least one tool: --tools read,search')
  const unknown = names.filter((name) => offered && !offered.some((tool) => tool.name === name))
  if (offered && unknown.length > 0) {
    const all = offered.map(({ name }) => name).join(', ')
    throw new SvcError('MCP_CATALOG_TOOLS', `The server has no tool ${unknown.join(', ')}. It has: ${all}.`)
  }
  return offered ? toChoice(offered, new Set(names)) : { include: names }
}
