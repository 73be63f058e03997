/** Wires the backend for Exa. */
import { definePlugin, Secrets } from 'svc/sdk'
import { createApiClient, WebSearchProviders } from 'svc/sdk/web'
import { config } from './config.ts'

const api = () => import('./api.ts')

export default definePlugin({
  config,
  setup(ctx) {
    const service = createApiClient(ctx, { who: 'Exa', code: 'EXA_FAILED', keyName: 'EXA_API_KEY' })
    const key = () => ctx.use(Secrets).get('EXA_API_KEY')
    const account = () => ({ baseUrl: ctx.config.base_url, key: key() ?? '' })
    ctx.add(WebSearchProviders, {
      name: 'exa',
      label: 'Exa',
      order: 20,
      missing: () => (key() === undefined ? 'needs EXA_API_KEY' : undefined),
      search: async (query, options) => (await api()).search(service, account(), { query, ...options }),
      extract: async (url, { signal }) => (await api()).extract(service, account(), { url, signal }),
    })
  },
})
