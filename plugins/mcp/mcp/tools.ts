/** The tools of a server as tools of svc: what they say they do, and how a call goes. */
import { defineTool, type Schema, type Tool, type ToolContext, type ToolResult } from 'svc/sdk'
import { oneLine } from 'svc/sdk/kit/views'
import type { ServerSettings } from './config.ts'
import { toToolName, toToolset } from './names.ts'
import type { OfferedTool } from './peer.ts'

const MAX_DESCRIPTION = 1500
const MAX_SHOWN = 4000

type Input = Readonly<Record<string, unknown>>

/** What the tools of a server share. */
export interface ServerTools {
  readonly name: string
  readonly settings: ServerSettings
  /** Why no call can succeed now; undefined when one can. */
  missing(): string | undefined
  /** Throws `MCP_SERVER_UNKNOWN` in a session that does not have the server. */
  admit(turn: ToolContext): void
  call(tool: string, input: Input, turn: ToolContext): Promise<ToolResult>
}

/** A tool of a server. Its annotations count only where the user trusts them: a server may say anything. */
export function toTool(server: ServerTools, offered: OfferedTool): Tool {
  const { name, settings } = server
  const hints = settings.trust_annotations ? (offered.annotations ?? {}) : {}
  const isReadOnly = hints['readOnlyHint'] === true
  const subject = `mcp:${name}:${offered.name}`
  return defineTool<Input>({
    name: toToolName(name, offered.name),
    description: describeTool(offered, name),
    input: toSchema(offered.inputSchema),
    effect: isReadOnly ? 'pure' : 'once',
    // A program here may write any file of the user, which matters more to the gates than that it reaches the network, too.
    reach: settings.command === undefined ? 'network' : 'machine',
    toolset: toToolset(name),
    untrusted: true,
    parallel: settings.supports_parallel_tool_calls,
    missing: () => server.missing(),
    acts: (input) =>
      isReadOnly
        ? { writes: [] }
        : {
            ask: {
              reason: `calls the tool ${offered.name} of the MCP server ${name}`,
              action: `${name}: ${offered.name} ${formatInput(input)}`,
              subjects: [subject],
              covers: `every call of the tool ${offered.name} of the MCP server ${name}`,
            },
          },
    view: { title: ({ input }) => oneLine(`${name}: ${offered.name} ${JSON.stringify(input) ?? ''}`) },
    run: (input, turn) => server.call(offered.name, input, turn),
  })
}

/** As it would be sent; what is too long to read says so. */
function formatInput(input: Input): string {
  const text = JSON.stringify(input)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)} [cut: ${text.length} characters]`
}

function describeTool({ description = '', title, name }: OfferedTool, server: string): string {
  const text = description.trim() || title || name
  const cut = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}...` : text
  return `${cut} (MCP server ${server})`
}

/** Checked by the server; here only what every call needs, so that no schema of a server is compiled. */
export function toSchema(given: Readonly<Record<string, unknown>>): Schema<Input> {
  const schema = { properties: {}, ...given, type: 'object' }
  const required = Array.isArray(given['required']) ? given['required'].filter((each) => typeof each === 'string') : []
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      validate(value) {
        if (typeof value !== 'object' || value === null || Array.isArray(value))
          return { issues: [{ message: 'must be an object' }] }
        const missing = required.filter((key) => (value as Input)[key] === undefined)
        if (missing.length > 0) return { issues: missing.map((key) => ({ message: 'is missing', path: [key] })) }
        return { value: value as Input }
      },
      // Hundreds of them are asked for at a start, and no one writes into what a definition holds.
      jsonSchema: { input: () => ({ ...schema }) },
    },
  }
}

/** Whether another plugin has the name of a tool. */
export function isTaken(tools: { owner(key: string): string | undefined }, name: string, own: string): boolean {
  const owner = tools.owner(name)
  return owner !== undefined && owner !== own
}
