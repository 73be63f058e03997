import { testKernel } from 'svc/sdk/testing'
import { WebSearchProviders } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { KEY, testBackend } from '../../../../support/web-backend.ts'

const stage = testBackend({
  plugin: 'web-firecrawl',
  name: 'firecrawl',
  code: 'FIRECRAWL_FAILED',
  key: { variable: 'FIRECRAWL_API_KEY', header: 'authorization', value: `Bearer ${KEY}` },
  error: (error) => JSON.stringify({ success: false, error }),
  nothing: JSON.stringify({ success: true, data: {} }),
  reply: ({ path, body }) => {
    const { query, limit, url } = JSON.parse(body)
    if (path === '/v2/scrape') {
      const statusCode = url.endsWith('/cats') ? 200 : 404
      const metadata = { title: ['Cats', 'Cats again'], sourceURL: url, statusCode }
      return { body: JSON.stringify({ success: true, data: { markdown: 'They purr.', metadata } }) }
    }
    const web = ['one', 'two', 'three'].slice(0, limit).map((word, position) => ({
      title: `${query} ${word}`,
      url: `https://${word}.example/`,
      description: `About ${query}`,
      position,
    }))
    return { body: JSON.stringify({ success: true, data: { web }, creditsUsed: 2 }) }
  },
  hits: [
    { title: 'cats one', url: 'https://one.example/', snippet: 'About cats' },
    { title: 'cats two', url: 'https://two.example/', snippet: 'About cats' },
  ],
})
const { signal } = new AbortController()

test('Firecrawl reads a page with its title; a page that the website does not have is a failure', async () => {
  const { backend } = stage()
  const page = await backend.extract?.('https://example.com/cats', { signal })
  expect(page).toEqual({ url: 'https://example.com/cats', title: 'Cats', text: 'They purr.' })
  await expect(backend.extract?.('https://example.com/dogs', { signal })).rejects.toThrow('answers with status 404')
})

test('a Firecrawl server of our own, on a private address, is asked without a key', async () => {
  const { fake } = stage()
  const kernel = await testKernel({ plugins: ['web-firecrawl'], env: { FIRECRAWL_API_URL: fake.url } })
  const backend = kernel.all(WebSearchProviders).get('firecrawl')
  expect(backend?.missing()).toBeUndefined()
  expect(await backend?.search?.('cats', { limit: 1, signal })).toHaveLength(1)
  expect(fake.requests[0]?.headers.authorization).toBeUndefined()
  await kernel.stop()
})
