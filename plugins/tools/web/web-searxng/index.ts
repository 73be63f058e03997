/** Wires the backend for SearXNG. */
import { definePlugin, Secrets } from 'svc/sdk'
import { createApiClient, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const service = createApiClient(ctx, {
      who: 'The SearXNG server',
      code: 'SEARXNG_FAILED',
      advice: { 403: 'Its settings.yml has to name json under search.formats.' },
    })
    const baseUrl = () => ctx.use(Secrets).get('SEARXNG_URL') || ctx.config.base_url
    ctx.add(WebSearchProviders, {
      name: 'searxng',
      label: 'SearXNG',
      order: 40,
      missing: () => (baseUrl() === '' ? 'needs SEARXNG_URL' : undefined),
      search: async (query, options) => (await import('./api.ts')).search(service, baseUrl(), { query, ...options }),
    })
  },
})
