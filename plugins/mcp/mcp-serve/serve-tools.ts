/** Methods of the protocol about tools. Unknown tools are errors of the protocol, failures of tools are results. */
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { cutPage } from './pages.ts'
import type { Connected } from './protocol.ts'

export function addTools({ server, offer, client, open }: Connected): void {
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }, { signal }) => {
    const { items, nextCursor } = cutPage(await offer.tools(client(), signal), params?.cursor)
    const tools = items.map(({ inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: { ...inputSchema, type: 'object' as const },
    }))
    return { tools, ...(nextCursor !== undefined && { nextCursor }) }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const { call, settled } = open(extra)
    const result = await offer.call(params.name, params.arguments ?? {}, call)
    await settled()
    if (!result) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${params.name.slice(0, 100)}".`)
    return structuredClone(result) as CallToolResult
  })
}
