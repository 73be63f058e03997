/** All that loads the library of the protocol: a file of its own in the program, read when a client connects. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import type { CallContext, ClientForm, ServedTools } from './tools.ts'

export interface ServerInfo {
  readonly version: string
  readonly instructions: string
}

/** A server for one client. Unknown tools are errors of the protocol, failures of tools are results. */
function createServer({ version, instructions }: ServerInfo, tools: ServedTools): Server {
  const server = new Server(
    { name: 'svc', title: 'svc', version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  )
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await tools.list()).map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema: { type: 'object' as const, ...inputSchema },
      ...(annotations && { annotations }),
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const token = extra._meta?.progressToken
    let progress = 0
    const report = async (message: string) => {
      const params = { progressToken: token ?? '', progress: ++progress, message }
      await extra.sendNotification({ method: 'notifications/progress', params })
    }
    const context: CallContext = {
      signal: extra.signal,
      ...(token !== undefined && { progress: report }),
      ...(server.getClientCapabilities()?.elicitation && {
        fillIn: (form: ClientForm, signal: AbortSignal) => fillIn(server, form, signal),
      }),
    }
    const result = await tools.call(params.name, params.arguments ?? {}, context)
    if (!result) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${params.name.slice(0, 100)}".`)
    const { content, isError, structuredContent } = result
    return { content: [...content], ...(isError && { isError }), ...(structuredContent && { structuredContent }) }
  })
  return server
}

async function fillIn(
  server: Server,
  { message, field }: ClientForm,
  signal: AbortSignal,
): Promise<string | undefined> {
  const requestedSchema = { type: 'object' as const, properties: { answer: field }, required: ['answer'] }
  const reply = await server.elicitInput({ message, requestedSchema }, { signal, timeout: 2 ** 31 - 1 })
  const answer = reply.action === 'accept' ? reply.content?.['answer'] : undefined
  return answer === undefined ? undefined : String(answer)
}

export const protocol = { createServer, HttpTransport: WebStandardStreamableHTTPServerTransport, JSONRPCMessageSchema }
