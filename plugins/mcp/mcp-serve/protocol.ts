/** All that loads the library of the protocol: a file of its own in the program, read when a client connects. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  ErrorCode,
  JSONRPCMessageSchema,
  type LoggingLevel,
  McpError,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpClient } from 'svc/sdk/mcp'
import { type Extra, openCall } from './client-call.ts'
import { addPrompts } from './serve-prompts.ts'
import { addResources } from './serve-resources.ts'
import { addTools } from './serve-tools.ts'
import type { Offer } from './served.ts'

export interface ServerInfo {
  readonly version: string
  readonly instructions: string
}

export interface ConnectionDeps {
  readonly info: ServerInfo
  readonly offer: Offer
  readonly id: string
  readonly cwd: string
  readonly account?: string
  /** The client was not told something, or sent a message that makes no sense. */
  failed(error: unknown): void
}

/** A client, and what its methods need. */
export interface Connected {
  readonly server: Server
  readonly offer: Offer
  client(): McpClient
  open(extra: Extra): ReturnType<typeof openCall>
  /** Runs the work of an export: what it throws is an error of the protocol with a text for the client. */
  guard<T>(what: string, work: () => Promise<T> | T): Promise<T>
  failed(error: unknown): void
}

/** A server for one client. */
function createServer({ info, offer, id, cwd, account, failed }: ConnectionDeps): Connected {
  const listChanged = true
  const server = new Server(
    { name: 'svc', title: 'svc', version: info.version },
    {
      capabilities: {
        tools: { listChanged },
        prompts: { listChanged },
        resources: { listChanged, subscribe: true },
        completions: {},
        logging: {},
      },
      instructions: info.instructions,
    },
  )
  let level: LoggingLevel = 'info'
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = params.level
    return {}
  })
  const client = (): McpClient => {
    const { name = '', version = '' } = server.getClientVersion() ?? {}
    return { id, name, version, cwd, ...(account !== undefined && { account }) }
  }
  const connected: Connected = {
    server,
    offer,
    client,
    failed,
    open: (extra) => openCall({ server, client: client(), level: () => level, failed }, extra),
    async guard(what, work) {
      try {
        return await work()
      } catch (error) {
        throw error instanceof McpError ? error : new McpError(ErrorCode.InternalError, offer.explain(what, error))
      }
    },
  }
  addTools(connected)
  addPrompts(connected)
  const ended = addResources(connected)
  server.onclose = ended
  server.onerror = failed
  return connected
}

export const protocol = { createServer, HttpTransport: WebStandardStreamableHTTPServerTransport, JSONRPCMessageSchema }
export type Protocol = typeof protocol
