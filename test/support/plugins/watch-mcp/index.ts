/** Notes MCP servers whose tools are held back. */
import { definePlugin } from 'svc/sdk'
import { McpServers } from 'svc/sdk/mcp'

export default definePlugin({
  setup(ctx) {
    ctx.onStart(() => {
      const servers = ctx.find(McpServers)
      servers?.onChange((name) => {
        const held = servers.get(name)?.tools.filter(({ change }) => change !== undefined) ?? []
        if (held.length > 0) ctx.log.warn('held back', { server: name, tools: held.map((tool) => tool.name) })
      })
    })
  },
})
