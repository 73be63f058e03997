/** Providers of models whose service speaks the wires of OpenAI and of Anthropic. */
import { definePlugin } from 'svc/sdk'
import { AnthropicWires, OpenAiWires, Providers } from 'svc/sdk/provider'
import { z } from 'zod'

export default definePlugin({
  config: z.object({ url: z.url().default('http://127.0.0.1:8000/v1') }),
  setup(ctx) {
    // Acme is a server of the own network and needs no key; clients of these wires send one.
    const own = { baseUrl: ctx.config.url, key: 'unused', headers: () => ({ 'x-acme': 'svc' }) }
    const endpoint = { ...own, name: 'acme', label: 'Acme' }
    const common = {
      label: 'Acme',
      status: async () => ({ ready: true, detail: `at ${endpoint.baseUrl}` }),
      models: async () => [],
    }
    ctx.add(Providers, {
      ...common,
      name: 'acme',
      stream: (request) => ctx.use(OpenAiWires).openaiChat(endpoint, request),
    })
    ctx.add(Providers, {
      ...common,
      name: 'acme-claude',
      stream: (request) => ctx.use(AnthropicWires).anthropicMessages({ ...endpoint, name: 'acme-claude' }, request),
    })
  },
})
