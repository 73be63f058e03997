/** Wires the backend for DuckDuckGo. */
import { definePlugin } from 'svc/sdk'
import { createApiClient, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const service = createApiClient(ctx, { who: 'DuckDuckGo', code: 'DUCKDUCKGO_FAILED' })
    ctx.add(WebSearchProviders, {
      name: 'duckduckgo',
      label: 'DuckDuckGo (no key)',
      order: 90,
      missing: () => undefined,
      search: async (query, options) =>
        (await import('./api.ts')).search(service, ctx.config.base_url, { query, ...options }),
    })
  },
})
