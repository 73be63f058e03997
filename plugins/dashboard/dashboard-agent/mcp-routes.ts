/** MCP servers: how each is, and what it offers. */
import { errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { requireService } from 'svc/sdk/kit/net'
import { McpServers } from 'svc/sdk/mcp'
import { z } from 'zod'

const serverSchema = z.object({
  name: z.string(),
  transport: z.string(),
  target: z.string(),
  state: z.string(),
  tools: z.array(z.string()),
  error: z.string().nullable(),
})

export function mcpRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  const find = () => requireService(ctx.find(McpServers), McpServers.id)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/mcp/servers',
      summary: 'Configured MCP servers, as they are known without starting them',
      response: z.object({ servers: z.array(serverSchema) }),
      handle: () => ({
        servers: (ctx.find(McpServers)?.list() ?? []).map(({ name, transport, target, state, tools, problem }) => ({
          ...{ name, transport, target, state, tools: tools.map((tool) => tool.name) },
          error: problem ?? null,
        })),
      }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/mcp/servers/:name/test',
      summary: 'Asks a server for what it offers; a server that cannot be asked is an answer, too',
      response: z.object({
        ok: z.boolean(),
        error: z.string().nullable(),
        tools: z.array(z.object({ name: z.string(), description: z.string() })),
      }),
      async handle({ params, signal }) {
        const name = params['name'] ?? ''
        const servers = find()
        if (!servers.get(name))
          throw new SvcError('DASHBOARD_MCP_SERVER', `No MCP server "${name}" is configured.`, { status: 404 })
        try {
          const { tools } = await servers.probe(name, signal)
          return {
            ok: true,
            error: null,
            tools: tools.map((tool) => ({ name: tool.name, description: tool.description ?? '' })),
          }
        } catch (error) {
          logFault(ctx.log, 'an MCP server could not be asked', error)
          return { ok: false, error: errorMessage(error), tools: [] }
        }
      },
    }),
  ]
}
