import { testKernel } from 'svc/sdk/testing'
import { WebSearchProviders } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { KEY, testBackend } from '../../../../support/web-backend.ts'

const stage = testBackend({
  plugin: 'web-brave',
  name: 'brave',
  code: 'BRAVE_FAILED',
  key: { variable: 'BRAVE_API_KEY', header: 'x-subscription-token', value: KEY },
  error: (detail) => JSON.stringify({ type: 'ErrorResponse', error: { id: 'e1', status: 422, code: 'X', detail } }),
  nothing: JSON.stringify({ type: 'search', query: { original: 'cats' } }),
  reply: ({ path, query }) => {
    if (path !== '/res/v1/web/search') return { status: 404, body: '{}' }
    const results = ['one', 'two', 'three'].slice(0, Number(query.get('count'))).map((word) => ({
      title: `${query.get('q')} ${word}`,
      url: `https://${word}.example/`,
      description: 'They purr.',
      type: 'search_result',
      language: 'en',
    }))
    const original = query.get('q')
    return { body: JSON.stringify({ type: 'search', query: { original }, web: { type: 'search', results } }) }
  },
  hits: [
    { title: 'cats one', url: 'https://one.example/', snippet: 'They purr.' },
    { title: 'cats two', url: 'https://two.example/', snippet: 'They purr.' },
  ],
})
const { signal } = new AbortController()

test('a query is cut at the words and characters that Brave takes', async () => {
  const { backend, fake } = stage()
  await backend.search?.('word '.repeat(80), { limit: 99, signal })
  await backend.search?.('x'.repeat(1000), { limit: 1, signal })
  const [words, long] = fake.requests
  expect(words?.query.get('q')?.split(' ')).toHaveLength(50)
  expect(words?.query.get('count')).toBe('20')
  expect(long?.query.get('q')).toHaveLength(400)
})

test('the other name of the key of Brave is read as well', async () => {
  const kernel = await testKernel({ plugins: ['web-brave'], env: { BRAVE_SEARCH_API_KEY: KEY } })
  expect(kernel.all(WebSearchProviders).get('brave')?.missing()).toBeUndefined()
  await kernel.stop()
})
