/** `svc mcp list` and `svc mcp test`. */
import { type CliArguments, type CliContext, errorCode, errorMessage } from 'svc/sdk'
import { formatColumns, formatCount, hasFlag, printJson, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { McpOffer, McpServer, McpServers, McpTool } from 'svc/sdk/mcp'

/** Tools that wait for a person. */
export function heldTools(tools: readonly McpTool[]): readonly McpTool[] {
  return tools.filter(({ change }) => change !== undefined)
}

export function list(servers: McpServers, input: CliArguments, io: CliContext): void {
  const all = servers.list()
  if (hasFlag(input, 'json')) printJson(io, { servers: all.map(toJson) })
  else if (all.length === 0) io.out('There are no MCP servers. `svc mcp add` adds one.\n')
  else print(all, io)
}

function print(all: readonly McpServer[], io: CliContext): void {
  const rows = all.map((server) => [server.name, server.state, countTools(server), server.target])
  for (const line of formatColumns(rows)) io.out(`${line}\n`)
  for (const { name, problem, tools } of all) {
    if (problem !== undefined) io.out(`${safeLine(name)}: ${safeLine(problem)}\n`)
    const held = heldTools(tools)
    if (held.length > 0)
      io.out(`${safeLine(name)}: ${formatCount(held.length, 'tool')} held back; see \`svc mcp tools ${name}\`\n`)
  }
}

function countTools({ tools, listedAt }: McpServer): string {
  if (listedAt === undefined) return 'not asked yet'
  const offered = tools.filter(({ state }) => state === 'offered').length
  return offered === tools.length ? formatCount(offered, 'tool') : `${offered} of ${formatCount(tools.length, 'tool')}`
}

function toJson({ tools, ...server }: McpServer): object {
  return {
    ...server,
    tools: tools.map(({ name, toolName, description, state }) => ({ name, toolName, description, state })),
  }
}

export async function test(servers: McpServers, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] as string
  const isJson = hasFlag(input, 'json')
  try {
    const offer = await servers.probe(name, io.signal)
    if (isJson) printJson(io, { ok: true, ...offerToJson(offer) })
    else printOffer(name, offer, io)
    return 0
  } catch (error) {
    if (!isJson || errorCode(error) === 'INTERNAL' || errorCode(error) === 'MCP_SERVER_UNKNOWN') throw error
    printJson(io, { ok: false, error: errorMessage(error), code: errorCode(error), tools: [] })
    return 1
  }
}

function offerToJson({ tools, ...offer }: McpOffer): object {
  return { ...offer, tools: tools.map(({ name, description, state }) => ({ name, description, state })) }
}

/** What a server offers, for people. */
export function printOffer(name: string, offer: McpOffer, io: CliContext): void {
  const { serverName, serverVersion, tools, prompts, resources } = offer
  io.out(`${safeLine(name)} works: ${safeLine(`${serverName} ${serverVersion}`)}\n`)
  const rows = tools.map((tool) => [`  ${tool.name}`, tool.state, safeLine(tool.description).slice(0, 100)])
  io.out(`${formatCount(tools.length, 'tool')}\n`)
  for (const line of formatColumns(rows)) io.out(`${line}\n`)
  if (prompts.length > 0) io.out(`Prompts: ${safeBlock(prompts.map((prompt) => prompt.name).join(', '))}\n`)
  if (resources.length > 0) io.out(`${formatCount(resources.length, 'resource')}\n`)
  if (heldTools(tools).length > 0)
    io.out(`Some are held back: \`svc mcp tools ${name} --approve\` shows why and asks.\n`)
}
