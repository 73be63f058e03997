/** `svc mcp tools`: the tools of a server, and the approval of those that changed. */
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { escapeUnseen, formatColumns, formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import type { McpServers, McpTool } from 'svc/sdk/mcp'
import { heldTools } from './cli-read.ts'

export async function tools(servers: McpServers, input: CliArguments, io: CliContext): Promise<number> {
  const [name = '', ...names] = input.args
  const server = servers.get(name) ?? (await servers.connect(name, io.signal))
  const all = server.listedAt === undefined ? (await servers.connect(name, io.signal)).tools : server.tools
  const unknown = names.find((each) => !all.some((tool) => tool.name === each))
  if (unknown !== undefined)
    throw new SvcError('MCP_USAGE', `The MCP server ${name} has no tool "${safeLine(unknown)}".`)
  const chosen = names.length === 0 ? all : all.filter((tool) => names.includes(tool.name))
  if (hasFlag(input, 'approve')) return approve(servers, name, heldTools(chosen), input, io)
  if (hasFlag(input, 'json')) printJson(io, { name, tools: chosen })
  else show(name, chosen, io)
  return 0
}

function show(name: string, all: readonly McpTool[], io: CliContext): void {
  if (all.length === 0) io.out('The server offers no tools.\n')
  const rows = all.map((tool) => [tool.name, tool.state, safeLine(tool.description).slice(0, 120)])
  for (const line of formatColumns(rows)) io.out(`${line}\n`)
  const held = heldTools(all)
  showChanges(held, io)
  if (held.length > 0) io.out(`\nThey are held back. \`svc mcp tools ${name} --approve\` approves them.\n`)
}

async function approve(
  servers: McpServers,
  name: string,
  held: readonly McpTool[],
  input: CliArguments,
  io: CliContext,
): Promise<number> {
  const isJson = hasFlag(input, 'json')
  if (held.length === 0) {
    if (isJson) printJson(io, { approved: [] })
    else io.out('No tool waits for approval.\n')
    return 0
  }
  const question = `Offer ${formatCount(held.length, 'tool')} of ${name} to the model with these definitions?`
  if (!(await confirmCommand(io, question, input.options, () => showChanges(held, io)))) return 1
  const approved = await servers.approve(
    name,
    held.map((tool) => tool.name),
  )
  if (isJson) printJson(io, { approved })
  else io.out(`Approved: ${approved.map(safeLine).join(', ')}\n`)
  return 0
}

/** The approved and the current definition, with invisible characters escaped. */
function showChanges(held: readonly McpTool[], io: CliContext): void {
  for (const { name, state, change } of held) {
    io.out(
      `\n${safeLine(name)}: ${state === 'changed' ? 'the definition changed' : 'the definition looks like an attack'}\n`,
    )
    if (change?.before) io.out(`- ${escapeUnseen(change.before)}\n`)
    io.out(`+ ${escapeUnseen(change?.after ?? '')}\n`)
  }
}
