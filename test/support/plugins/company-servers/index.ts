/** MCP servers of a company, which its people install by name. */
import { fileURLToPath } from 'node:url'
import { definePlugin } from 'svc/sdk'
import { McpCatalogs } from 'svc/sdk/mcp'

export default definePlugin({
  setup(ctx) {
    ctx.add(McpCatalogs, { name: 'company-servers', dir: fileURLToPath(new URL('servers', import.meta.url)) })
  },
})
