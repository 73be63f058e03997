/** Wires the backend for Tavily. */
import { definePlugin, Secrets } from 'svc/sdk'
import { createApiClient, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'

const api = () => import('./api.ts')

export default definePlugin({
  config,
  setup(ctx) {
    const service = createApiClient(ctx, { who: 'Tavily', code: 'TAVILY_FAILED', keyName: 'TAVILY_API_KEY' })
    const key = () => ctx.use(Secrets).get('TAVILY_API_KEY')
    const account = () => ({ baseUrl: ctx.config.base_url, key: key() ?? '' })
    ctx.add(WebSearchProviders, {
      name: 'tavily',
      label: 'Tavily',
      order: 10,
      missing: () => (key() === undefined ? 'needs TAVILY_API_KEY' : undefined),
      search: async (query, options) => (await api()).search(service, account(), { query, ...options }),
      extract: async (url, { signal }) => (await api()).extract(service, account(), { url, signal }),
    })
  },
})
