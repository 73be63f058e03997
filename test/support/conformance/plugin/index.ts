/** What the conformance suite for MCP servers calls by names of its own. */
import { definePlugin, Tools } from 'svc/sdk'
import { McpExports } from 'svc/sdk/mcp'
import { chosen } from './chosen.ts'
import { prompts } from './prompts.ts'
import { resources } from './resources.ts'
import { tools } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    for (const tool of chosen) ctx.add(Tools, tool)
    ctx.add(McpExports, { name: 'conformance', tools: () => tools, prompts: () => prompts, resources })
  },
})
