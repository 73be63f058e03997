/** Wires the backend for Firecrawl. */
import { definePlugin, Secrets } from 'svc/sdk'
import { createApiClient, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'

const api = () => import('./api.ts')

export default definePlugin({
  config,
  setup(ctx) {
    const service = createApiClient(ctx, { who: 'Firecrawl', code: 'FIRECRAWL_FAILED', keyName: 'FIRECRAWL_API_KEY' })
    const secret = (name: string) => ctx.use(Secrets).get(name)
    const account = () => ({
      baseUrl: secret('FIRECRAWL_API_URL') || ctx.config.base_url,
      key: secret('FIRECRAWL_API_KEY'),
    })
    const isUsable = () => account().baseUrl !== '' || account().key !== undefined
    ctx.add(WebSearchProviders, {
      name: 'firecrawl',
      label: 'Firecrawl',
      order: 30,
      missing: () => (isUsable() ? undefined : 'needs FIRECRAWL_API_KEY or FIRECRAWL_API_URL'),
      search: async (query, options) => (await api()).search(service, account(), { query, ...options }),
      extract: async (url, { signal }) => (await api()).extract(service, account(), { url, signal }),
    })
  },
})
