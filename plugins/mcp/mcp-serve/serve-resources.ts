/** Methods of the protocol about resources, and which of them a client follows. */
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ReadResourceResult,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { cutPage, unknownCursor } from './pages.ts'
import type { Connected } from './protocol.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling */
const NOT_FOUND = -32002
const MAX_SUBSCRIPTIONS = 100

/** Returns what ends the subscriptions of the client. */
export function addResources(connected: Connected): () => void {
  const { server, offer, client, open, guard } = connected
  const followed = new Map<string, () => void | Promise<void>>()
  const end = (uri: string) => {
    const ended = followed.get(uri)
    followed.delete(uri)
    void guard('a subscription', async () => ended?.()).catch(() => {})
  }
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { signal }) => {
    const page = await offer.resources(client(), { cursor: params?.cursor, signal })
    if (!page) throw unknownCursor()
    return { resources: [...page.items], ...(page.next !== undefined && { nextCursor: page.next }) }
  })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async ({ params }) => {
    const { items, nextCursor } = cutPage(offer.templates(), params?.cursor)
    const resourceTemplates = items.map(({ complete: _, ...template }) => template)
    return { resourceTemplates, ...(nextCursor !== undefined && { nextCursor }) }
  })
  server.setRequestHandler(
    ReadResourceRequestSchema,
    async ({ params: { uri } }, extra): Promise<ReadResourceResult> => {
      const { call, settled } = open(extra)
      const contents = await guard('a resource', () => offer.read(uri, call))
      await settled()
      if (!contents) throw new McpError(NOT_FOUND, 'There is no such resource.', { uri })
      return { contents: structuredClone(contents) as ReadResourceResult['contents'] }
    },
  )
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (followed.has(uri)) return {}
    if (followed.size >= MAX_SUBSCRIPTIONS)
      throw new McpError(ErrorCode.InvalidRequest, `A client follows at most ${MAX_SUBSCRIPTIONS} resources.`)
    const changed = () => void server.sendResourceUpdated({ uri }).catch((error: unknown) => connected.failed(error))
    const ended = await guard('a subscription', async () => offer.watch(uri, client(), changed))
    if (!ended) throw new McpError(NOT_FOUND, 'There is no such resource, or no plugin says when it changes.', { uri })
    followed.set(uri, ended)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    end(uri)
    return {}
  })
  return () => {
    for (const uri of followed.keys()) end(uri)
  }
}
