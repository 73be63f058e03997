/** Wires the backend for Exa. */
import { definePlugin, Secrets, WebBackends, webService } from 'svc/sdk'
import { config } from './config.ts'

const api = () => import('./api.ts')

export default definePlugin({
  config,
  setup(ctx) {
    const service = webService(ctx, { who: 'Exa', code: 'EXA_FAILED', keyName: 'EXA_API_KEY' })
    const key = () => ctx.use(Secrets).get('EXA_API_KEY')
    const account = () => ({ baseUrl: ctx.config.base_url, key: key() ?? '' })
    ctx.add(WebBackends, {
      name: 'exa',
      label: 'Exa',
      order: 20,
      missing: () => (key() === undefined ? 'needs EXA_API_KEY' : undefined),
      search: async (query, options) => (await api()).search(service, account(), { query, ...options }),
      extract: async (url, { signal }) => (await api()).extract(service, account(), { url, signal }),
    })
  },
})
