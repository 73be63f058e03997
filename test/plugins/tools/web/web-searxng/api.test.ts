import { testKernel } from 'svc/sdk/testing'
import { WebSearchProviders } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { testBackend } from '../../../../support/web-backend.ts'

const stage = testBackend({
  plugin: 'web-searxng',
  name: 'searxng',
  code: 'SEARXNG_FAILED',
  env: (url) => ({ SEARXNG_URL: `${url}/searx/` }),
  error: (message) => JSON.stringify({ error: message }),
  nothing: JSON.stringify({ query: 'cats', results: [], unresponsive_engines: [] }),
  reply: ({ path, query }) => {
    if (path !== '/searx/search' || query.get('format') !== 'json') return { status: 404, body: '<h1>404</h1>' }
    const results = ['one', 'two', 'three'].map((word) => ({
      title: `${query.get('q')} ${word}`,
      url: `https://${word}.example/`,
      ...(word === 'two' ? {} : { content: 'They purr.' }),
      engine: 'someone',
      engines: ['someone'],
      score: 1,
    }))
    const more = { answers: [], corrections: [], infoboxes: [], suggestions: [] }
    return {
      body: JSON.stringify({ query: query.get('q'), results, ...more, unresponsive_engines: [['a', 'timeout']] }),
    }
  },
  hits: [
    { title: 'cats one', url: 'https://one.example/', snippet: 'They purr.' },
    { title: 'cats two', url: 'https://two.example/', snippet: '' },
  ],
})
const { signal } = new AbortController()

test('a SearXNG server that does not answer in JSON is told apart, with the setting that helps', async () => {
  stage().fake.fault = { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' }
  await expect(stage().backend.search?.('cats', { limit: 1, signal })).rejects.toMatchObject({
    code: 'SEARXNG_FAILED',
    message: expect.stringContaining('search.formats'),
  })
})

test('no hits because no engine answered is a failure', async () => {
  stage().fake.fault = {
    body: '{"results":[],"unresponsive_engines":[["google","too many requests"],["bing","timeout"]]}',
  }
  await expect(stage().backend.search?.('cats', { limit: 1, signal })).rejects.toThrow(
    'google: too many requests; bing: timeout',
  )
})

test('SearXNG without an address says that it needs one', async () => {
  const kernel = await testKernel({ plugins: ['web-searxng'] })
  expect(kernel.all(WebSearchProviders).get('searxng')?.missing()).toBe('needs SEARXNG_URL')
  await kernel.stop()
})
