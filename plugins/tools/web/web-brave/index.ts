/** Wires the backend for Brave Search. */
import { definePlugin, Secrets } from 'svc/sdk'
import { createApiClient, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'

const api = () => import('./api.ts')

export default definePlugin({
  config,
  setup(ctx) {
    const service = createApiClient(ctx, { who: 'Brave Search', code: 'BRAVE_FAILED', keyName: 'BRAVE_API_KEY' })
    const key = () => ctx.use(Secrets).get('BRAVE_API_KEY') ?? ctx.use(Secrets).get('BRAVE_SEARCH_API_KEY')
    const account = () => ({ baseUrl: ctx.config.base_url, key: key() ?? '' })
    ctx.add(WebSearchProviders, {
      name: 'brave',
      label: 'Brave Search',
      order: 50,
      missing: () => (key() === undefined ? 'needs BRAVE_API_KEY' : undefined),
      search: async (query, options) => (await api()).search(service, account(), { query, ...options }),
    })
  },
})
