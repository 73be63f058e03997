import { expect, test } from 'vitest'
import { KEY, testBackend } from '../../../../support/web-backend.ts'

const stage = testBackend({
  plugin: 'web-tavily',
  name: 'tavily',
  code: 'TAVILY_FAILED',
  key: { variable: 'TAVILY_API_KEY', header: 'authorization', value: `Bearer ${KEY}` },
  error: (error) => JSON.stringify({ detail: { error } }),
  nothing: JSON.stringify({ query: 'cats', results: [], response_time: 0.4 }),
  reply: ({ path, body }) => {
    const { query, max_results, urls = [] } = JSON.parse(body)
    if (path === '/extract') {
      const [url = ''] = urls as string[]
      const isThere = url.endsWith('/cats')
      return {
        body: JSON.stringify({
          results: isThere ? [{ url, raw_content: '# Cats\n\nThey purr.', images: [] }] : [],
          failed_results: isThere ? [] : [{ url, error: 'Failed to fetch url' }],
          response_time: 0.02,
        }),
      }
    }
    const hits = ['one', 'two', 'three'].slice(0, max_results).map((word) => ({
      title: `${query} ${word}`,
      url: `https://${word}.example/`,
      content: `All about ${query}`,
      score: 0.9,
      raw_content: null,
    }))
    return { body: JSON.stringify({ query, answer: null, images: [], results: hits, response_time: 1.2 }) }
  },
  hits: [
    { title: 'cats one', url: 'https://one.example/', snippet: 'All about cats' },
    { title: 'cats two', url: 'https://two.example/', snippet: 'All about cats' },
  ],
})
const { signal } = new AbortController()

test('Tavily reads a page as Markdown, and says why it cannot read another', async () => {
  const { backend } = stage()
  const page = await backend.extract?.('https://example.com/cats', { signal })
  expect(page).toEqual({ url: 'https://example.com/cats', text: '# Cats\n\nThey purr.' })
  await expect(backend.extract?.('https://example.com/dogs', { signal })).rejects.toMatchObject({
    code: 'TAVILY_FAILED',
    message: 'Tavily could not read the page: Failed to fetch url.',
  })
})

test.for([432, 433])('the plan limit of Tavily, status %i, is called one', async (status) => {
  stage().fake.fault = { status, body: '{"detail":{"error":"This request exceeds your plan"}}' }
  await expect(stage().backend.search?.('cats', { limit: 1, signal })).rejects.toThrow(/plan at Tavily is used up/)
})

test('a query is cut where Tavily stops taking it', async () => {
  await stage().backend.search?.('x'.repeat(1000), { limit: 50, signal })
  const sent = JSON.parse(stage().fake.requests[0]?.body ?? '{}')
  expect([sent.query.length, sent.max_results]).toEqual([400, 20])
})
