/** Wires the backend for DuckDuckGo. */
import { definePlugin, WebBackends, webService } from 'svc/sdk'
import { config } from './config.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const service = webService(ctx, { who: 'DuckDuckGo', code: 'DUCKDUCKGO_FAILED' })
    ctx.add(WebBackends, {
      name: 'duckduckgo',
      label: 'DuckDuckGo (no key)',
      order: 90,
      missing: () => undefined,
      search: async (query, options) =>
        (await import('./api.ts')).search(service, ctx.config.base_url, { query, ...options }),
    })
  },
})
