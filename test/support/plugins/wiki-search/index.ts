/** Searches the web, in a wiki with the API of MediaWiki (https://www.mediawiki.org/wiki/API:Opensearch). */
import { definePlugin, Net } from 'svc/sdk'
import { WebSearchProviders } from 'svc/sdk/web'
import { z } from 'zod'

const config = z.object({ url: z.url().default('https://en.wikipedia.org/w/api.php') })
const answer = z.tuple([z.string(), z.array(z.string()), z.array(z.string()), z.array(z.string())])

export default definePlugin({
  config,
  setup(ctx) {
    ctx.add(WebSearchProviders, {
      name: 'wiki',
      label: 'Wikipedia',
      missing: () => undefined,
      async search(query, { limit, signal }) {
        const terms = new URLSearchParams({ action: 'opensearch', format: 'json', limit: `${limit}`, search: query })
        const response = await ctx.use(Net).request({ url: `${ctx.config.url}?${terms}`, signal })
        const [, titles, snippets, urls] = await response.json(answer)
        return titles.map((title, at) => ({ title, url: urls[at] ?? '', snippet: snippets[at] ?? '' }))
      },
    })
  },
})
