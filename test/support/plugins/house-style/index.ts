/** Offers the style of a company to MCP clients: as a prompt, and as a tool that adds a rule. */
import { definePlugin } from 'svc/sdk'
import { defineMcpTool, McpClients, McpExports } from 'svc/sdk/mcp'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    const rules = ['Say what to do next.']
    const addRule = defineMcpTool({
      name: 'add_rule',
      description: 'Add a rule of style.',
      input: z.object({ rule: z.string().max(200) }),
      run({ rule }, { client }) {
        rules.push(rule)
        ctx.find(McpClients)?.changed('prompts')
        ctx.log.info('works', { client: client.name })
        return `There are ${rules.length} rules.`
      },
    })
    ctx.add(McpExports, {
      name: 'house-style',
      tools: () => [addRule],
      prompts: () => [
        {
          name: 'house_style',
          description: 'How our texts are written.',
          messages: () => [{ role: 'user', content: { type: 'text', text: `Rules: ${rules.join(' ')}` } }],
        },
      ],
    })
  },
})
