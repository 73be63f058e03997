/** The call of a client, as exports see it. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  type CreateMessageRequest,
  type ElicitRequestFormParams,
  type LoggingLevel,
  LoggingLevelSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpClient, McpClientCall, McpContent } from 'svc/sdk/mcp'

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** The longest that a timer can wait: a person may take any time. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
/** In ascending order. */
const LEVELS: readonly LoggingLevel[] = LoggingLevelSchema.options

export interface CallDeps {
  readonly server: Server
  readonly client: McpClient
  /** The least level that the client wants. */
  level(): LoggingLevel
  failed(error: unknown): void
}

/** A call, and a promise that resolves when the client was told all that the call said so far. */
export function openCall(
  { server, client, level, failed }: CallDeps,
  extra: Extra,
): { readonly call: McpClientCall; settled(): Promise<unknown> } {
  const told: Promise<void>[] = []
  const tell = (notification: ServerNotification) => {
    told.push(extra.sendNotification(notification).catch(failed))
  }
  const token = extra._meta?.progressToken
  let count = 0
  const { elicitation, sampling } = server.getClientCapabilities() ?? {}
  const hasForms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  // It goes with the stream of the call: a client may have no other one.
  const asking = (signal?: AbortSignal) => ({
    signal: signal ? AbortSignal.any([signal, extra.signal]) : extra.signal,
    relatedRequestId: extra.requestId,
    timeout: MAX_TIMEOUT_MS,
  })
  const call: McpClientCall = {
    client,
    signal: extra.signal,
    progress({ message, done, total }) {
      count = done ?? count + 1
      if (token === undefined) return
      const params = { progressToken: token, progress: count, ...(total !== undefined && { total }) }
      tell({
        method: 'notifications/progress',
        params: { ...params, ...(message !== undefined && { message }) },
      })
    },
    log(wanted, data) {
      if (LEVELS.indexOf(wanted) < LEVELS.indexOf(level())) return
      tell({ method: 'notifications/message', params: { level: wanted, logger: 'svc', data } })
    },
    ...(hasForms && {
      async fillIn({ message, fields, required = [] }, signal) {
        const requestedSchema = { type: 'object', properties: fields, required: [...required] }
        const params = { message, requestedSchema } as unknown as ElicitRequestFormParams
        const { action, content } = await server.elicitInput(params, asking(signal))
        return { action, ...(content && { content }) }
      },
    }),
    ...(sampling && {
      async sample(request, signal) {
        const params = { ...request, messages: [...request.messages] } as unknown as CreateMessageRequest['params']
        const { model, content } = await server.createMessage(params, asking(signal))
        return { model, content: (Array.isArray(content) ? content[0] : content) as McpContent }
      },
    }),
  }
  return { call, settled: () => Promise.all(told) }
}
