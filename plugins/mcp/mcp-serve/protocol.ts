/** All that loads the library of the protocol: a file of its own in the program, read when a client connects. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  type LoggingLevel,
  LoggingLevelSchema,
  McpError,
  type RequestId,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { CallContext, ClientForm, ToolDirectory } from './served.ts'

/** The longest that a timer can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export interface ServerInfo {
  readonly version: string
  readonly instructions: string
}

/** In ascending order. */
const LEVELS: readonly LoggingLevel[] = LoggingLevelSchema.options

/** A server for one client. Unknown tools are errors of the protocol, failures of tools are results. */
function createServer({ version, instructions }: ServerInfo, tools: ToolDirectory): Server {
  const server = new Server(
    { name: 'svc', title: 'svc', version },
    { capabilities: { tools: { listChanged: false }, logging: {} }, instructions },
  )
  let least: LoggingLevel = 'info'
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    least = params.level
    return {}
  })
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
    const log = async (level: 'info' | 'warning' | 'error', data: string) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
      await extra.sendNotification({ method: 'notifications/message', params: { level, logger: 'svc', data } })
    }
    const context: CallContext = {
      signal: extra.signal,
      log,
      ...(token !== undefined && { progress: report }),
      ...(server.getClientCapabilities()?.elicitation && {
        fillIn: (form: ClientForm, signal: AbortSignal) =>
          fillIn(server, form, { signal, relatedRequestId: extra.requestId }),
      }),
    }
    const result = await tools.call(params.name, params.arguments ?? {}, context)
    if (!result) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${params.name.slice(0, 100)}".`)
    const { content, isError, structuredContent } = result
    return { content: [...content], ...(isError && { isError }), ...(structuredContent && { structuredContent }) }
  })
  return server
}

/** It goes with the stream of the call: a client may have no other one. A person may take any time. */
async function fillIn(
  server: Server,
  { message, field }: ClientForm,
  sending: { readonly signal: AbortSignal; readonly relatedRequestId: RequestId },
): Promise<string | undefined> {
  const requestedSchema = { type: 'object' as const, properties: { answer: field }, required: ['answer'] }
  const reply = await server.elicitInput({ message, requestedSchema }, { ...sending, timeout: MAX_TIMEOUT_MS })
  const answer = reply.action === 'accept' ? reply.content?.['answer'] : undefined
  return answer === undefined ? undefined : String(answer)
}

export const protocol = { createServer, HttpTransport: WebStandardStreamableHTTPServerTransport, JSONRPCMessageSchema }
