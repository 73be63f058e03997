import { expect, test } from 'vitest'
import { KEY, testBackend } from '../../../../support/web-backend.ts'

const stage = testBackend({
  plugin: 'web-exa',
  name: 'exa',
  code: 'EXA_FAILED',
  key: { variable: 'EXA_API_KEY', header: 'x-api-key', value: KEY },
  error: (error) => JSON.stringify({ requestId: 'r1', error, tag: 'INVALID' }),
  nothing: JSON.stringify({ requestId: 'r1', results: [] }),
  reply: ({ path, body }) => {
    const { query, numResults, urls = [] } = JSON.parse(body)
    if (path === '/contents') {
      const [url = ''] = urls as string[]
      const isThere = url.endsWith('/cats')
      return {
        body: JSON.stringify({
          requestId: 'r1',
          results: isThere ? [{ id: url, url, title: 'Cats', text: 'They purr.' }] : [],
          statuses: isThere
            ? [{ id: url, status: 'success' }]
            : [{ id: url, status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 } }],
        }),
      }
    }
    const all = [
      { title: `${query} one`, id: 'https://one.example/', highlights: ['They purr', 'They sleep'] },
      { title: null, id: 'https://two.example/', text: 'No passages' },
      { title: 'three', id: 'https://three.example/' },
    ]
    const results = all.slice(0, numResults).map((hit) => ({ ...hit, url: hit.id, publishedDate: null, author: null }))
    return { body: JSON.stringify({ requestId: 'r1', results, costDollars: { total: 0.005 } }) }
  },
  hits: [
    { title: 'cats one', url: 'https://one.example/', snippet: 'They purr ... They sleep' },
    { title: '', url: 'https://two.example/', snippet: 'No passages' },
  ],
})
const { signal } = new AbortController()

test('Exa reads a page with its title, and names the kind of failure of another', async () => {
  const { backend } = stage()
  const page = await backend.extract?.('https://example.com/cats', { signal })
  expect(page).toEqual({ url: 'https://example.com/cats', title: 'Cats', text: 'They purr.' })
  await expect(backend.extract?.('https://example.com/dogs', { signal })).rejects.toMatchObject({
    code: 'EXA_FAILED',
    message: 'Exa could not read the page: CRAWL_NOT_FOUND.',
  })
})
